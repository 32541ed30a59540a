package io.github.variantshredded.read.decode

import org.apache.spark.sql.vectorized.ColumnVector

/** Decodes one column of the batches that a scan returns. */
private[read] trait OutputColumn extends BatchDecoding {

  /** Returns the vector of this column in the batch. Its content changes with every batch. */
  def vector: ColumnVector
}
