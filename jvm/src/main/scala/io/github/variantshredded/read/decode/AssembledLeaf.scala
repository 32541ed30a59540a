package io.github.variantshredded.read.decode

import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** A leaf or group that Spark's own assembly has put together; one slot an element. */
private[read] final class AssembledLeaf(override val values: WritableColumnVector)
    extends LeafVector {
  override def isAllNull: Boolean = false
}
