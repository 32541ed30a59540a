package io.github.variantshredded.read.decode

import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** One decoded leaf. */
private[read] trait LeafVector {
  def values: WritableColumnVector

  /** Whether every slot of the current batch is null. */
  def isAllNull: Boolean
}
