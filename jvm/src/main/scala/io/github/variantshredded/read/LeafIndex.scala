package io.github.variantshredded.read

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ColumnPath}
import org.apache.parquet.schema.MessageType

/** Finds the column chunks of some leaves in the row groups of a file. */
private[read] final class LeafIndex(schema: MessageType, val leaves: Set[Seq[String]]) {

  // Row groups have their chunks in the order of the schema's leaves.
  private val places: Map[Seq[String], (ColumnPath, Int)] =
    schema.getColumns.asScala.iterator.zipWithIndex
      .map { case (column, place) =>
        val path: Seq[String] = column.getPath.toIndexedSeq
        path -> (ColumnPath.get(column.getPath: _*), place)
      }
      .filter { case (path, _) => leaves(path) }
      .toMap

  /** The chunk of a leaf; None if the row group lacks it. */
  def chunk(rowGroup: BlockMetaData, leaf: Seq[String]): Option[ColumnChunkMetaData] = {
    val chunks = rowGroup.getColumns
    places.get(leaf).flatMap { case (path, place) =>
      if (place < chunks.size && chunks.get(place).getPath == path) Some(chunks.get(place))
      else chunks.asScala.find(_.getPath == path)
    }
  }
}
