package io.github.variantshredded.read.decode

import org.apache.spark.sql.vectorized.ColumnVector

/** One column of the batches that a scan gives out. */
private[read] trait OutputColumn {

  /** The vector in the batch; its content changes with every batch. */
  def vector: ColumnVector

  /** Prepares for the next row group. */
  def startRowGroup(rowGroup: RowGroup): Unit

  /** Decodes the next `rows` rows. */
  def readBatch(rows: Int): Unit

  def close(): Unit
}
