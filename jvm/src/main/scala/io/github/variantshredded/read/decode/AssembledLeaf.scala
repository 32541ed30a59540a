package io.github.variantshredded.read.decode

import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/**
 * Holds a leaf column or group below a repetition, which Spark has assembled; one slot per element.
 */
private[read] final class AssembledLeaf(override val values: WritableColumnVector)
    extends LeafVector {
  override def isAllNull: Boolean = false
}
