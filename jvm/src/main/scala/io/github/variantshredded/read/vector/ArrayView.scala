package io.github.variantshredded.read.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnVector}

/** Shows an array that contains a Variant at any depth. */
private[read] final class ArrayView(
    dataType: DataType,
    array: WritableColumnVector,
    element: ColumnVector
) extends ViewVector(dataType) {
  override def hasNull: Boolean = array.hasNull
  override def numNulls: Int = array.numNulls
  override def isNullAt(slot: Int): Boolean = array.isNullAt(slot)
  override def getArray(slot: Int): ColumnarArray =
    if (isNullAt(slot)) null
    else new ColumnarArray(element, array.getArrayOffset(slot), array.getArrayLength(slot))
  override def getChild(ordinal: Int): ColumnVector = element
}
