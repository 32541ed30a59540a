package io.github.variantshredded.read.vector

import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{DataType, Decimal}

/** Creates vectors that are null in every slot. */
private[read] object NullVector {

  def apply(dataType: DataType): ConstantColumnVector = {
    val nulls = new ConstantColumnVector(1, dataType) {
      // Without code generation, Spark reads decimals of more than 18 digits before it checks for
      // null.
      override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = null
    }
    nulls.setNull()
    nulls
  }
}
