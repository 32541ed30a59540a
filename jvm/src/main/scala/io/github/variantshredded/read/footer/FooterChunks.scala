package io.github.variantshredded.read.footer

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.layout.VariantLeaf
import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Sums up sizes and null counts of leaf columns over row groups of a file, when first requested.
 */
private[read] final class FooterChunks(rowGroups: Array[BlockMetaData]) extends LeafChunks {

  private lazy val (sizes, withValues) = {
    val bytes = mutable.Map.empty[Seq[String], Long].withDefaultValue(0L)
    val used = mutable.Set.empty[Seq[String]]
    for (rowGroup <- rowGroups; chunk <- rowGroup.getColumns.asScala) {
      val path: Seq[String] = chunk.getPath.toArray.toIndexedSeq
      bytes(path) += chunk.getTotalSize
      if (!NullCounts.isAllNull(chunk)) used += path
    }
    (bytes, used)
  }

  override def size(leaf: VariantLeaf): Long = sizes(leaf.descriptor.getPath.toIndexedSeq)

  override def isAllNull(leaf: VariantLeaf): Boolean =
    !withValues(leaf.descriptor.getPath.toIndexedSeq)
}
