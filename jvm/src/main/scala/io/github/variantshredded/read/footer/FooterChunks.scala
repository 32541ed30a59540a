package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.layout.VariantLeaf
import org.apache.parquet.ParquetRuntimeException
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}

/**
 * Sums up sizes and null counts of leaf columns over row groups of a file, when requested.
 *
 * Only the chunks of the requested leaf column are looked at: the metadata of other chunks may be
 * encrypted with keys that the reader does not have.
 */
private[read] final class FooterChunks(rowGroups: Array[BlockMetaData]) extends LeafChunks {

  private lazy val chunks: Map[Seq[String], Array[ColumnChunkMetaData]] =
    rowGroups
      .flatMap(_.getColumns.asScala)
      .groupBy(chunk => chunk.getPath.toArray.toIndexedSeq: Seq[String])

  /** Returns the bytes; the largest number if the reader does not have the key of the column. */
  override def size(leaf: VariantLeaf): Long = {
    val sizes = of(leaf).map(known(_)(_.getTotalSize))
    if (sizes.contains(None)) Long.MaxValue else sizes.flatten.sum
  }

  /** Returns false too if a chunk is missing: an error then says so. */
  override def isAllNull(leaf: VariantLeaf): Boolean = {
    val found = of(leaf)
    found.length >= rowGroups.length &&
    found.forall(known(_)(NullCounts.isAllNull).contains(true))
  }

  private def of(leaf: VariantLeaf): Array[ColumnChunkMetaData] =
    chunks.getOrElse(leaf.descriptor.getPath.toIndexedSeq, Array.empty)

  private def known[T](chunk: ColumnChunkMetaData)(value: ColumnChunkMetaData => T): Option[T] =
    try Some(value(chunk))
    catch { case _: ParquetRuntimeException if chunk.isEncrypted => None }
}
