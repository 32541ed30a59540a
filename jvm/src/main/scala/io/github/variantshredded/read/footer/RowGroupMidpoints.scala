package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Finds the position of the middle of each row group in a file. A row group belongs to the split of
 * the file that has this position.
 */
private[read] final class RowGroupMidpoints(rowGroups: IndexedSeq[BlockMetaData]) {

  /** Returns the positions in the file, which has `length` bytes. */
  def positions(length: Long): IndexedSeq[Long] = byChunks.getOrElse(byRows(length))

  /**
   * The positions by those of the chunks. The positions of chunks with encryption keys of their own
   * are hidden, and the keys may not be available. None if a row group has only such chunks.
   */
  private lazy val byChunks: Option[IndexedSeq[Long]] = {
    val plain = rowGroups.map(_.getColumns.asScala.filterNot(_.isEncrypted))
    val isHidden = rowGroups.zip(plain).exists { case (rowGroup, chunks) =>
      chunks.isEmpty && !rowGroup.getColumns.isEmpty
    }
    Option.unless(isHidden) {
      plain.map { chunks =>
        if (chunks.isEmpty) 0L else chunks.head.getStartingPos + chunks.map(_.getTotalSize).sum / 2
      }
    }
  }

  /** Estimates the positions from the numbers of rows. */
  private def byRows(length: Long): IndexedSeq[Long] = {
    val rows = rowGroups.map(_.getRowCount.toDouble)
    val ends = rows.scanLeft(0.0)(_ + _)
    rows.indices.map(i => ((ends(i) + rows(i) / 2) / math.max(ends.last, 1) * length).toLong)
  }
}
