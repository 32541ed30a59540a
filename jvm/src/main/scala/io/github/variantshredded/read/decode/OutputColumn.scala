package io.github.variantshredded.read.decode

import org.apache.spark.sql.vectorized.ColumnVector

/** Decodes one column of the batches that a scan returns. */
private[read] trait OutputColumn {

  /** Returns the vector of this column in the batch. Its content changes with every batch. */
  def vector: ColumnVector

  /** Prepares for the next row group. */
  def startRowGroup(rowGroup: FetchedRowGroup): Unit

  /** Decodes the next `rows` rows. */
  def readBatch(rows: Int): Unit

  def close(): Unit
}
