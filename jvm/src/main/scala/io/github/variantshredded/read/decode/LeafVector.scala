package io.github.variantshredded.read.decode

import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Holds a decoded leaf column. */
private[read] trait LeafVector {
  def values: WritableColumnVector

  /** Returns true if every slot of the current batch is null. */
  def isAllNull: Boolean
}
