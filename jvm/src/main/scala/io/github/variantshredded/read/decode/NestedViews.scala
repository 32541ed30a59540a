package io.github.variantshredded.read.decode

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}

/** Shows a struct that contains a Variant at any depth. */
private[read] final class StructView(
    dataType: DataType,
    struct: ColumnVector,
    children: Array[ColumnVector]
) extends ViewVector(dataType) {
  override def hasNull: Boolean = struct.hasNull
  override def numNulls: Int = struct.numNulls
  override def isNullAt(slot: Int): Boolean = struct.isNullAt(slot)
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)
}

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

/** Shows a map that contains a Variant at any depth. */
private[read] final class MapView(
    dataType: DataType,
    map: WritableColumnVector,
    keys: ColumnVector,
    values: ColumnVector
) extends ViewVector(dataType) {
  override def hasNull: Boolean = map.hasNull
  override def numNulls: Int = map.numNulls
  override def isNullAt(slot: Int): Boolean = map.isNullAt(slot)
  override def getMap(slot: Int): ColumnarMap =
    if (isNullAt(slot)) null
    else new ColumnarMap(keys, values, map.getArrayOffset(slot), map.getArrayLength(slot))
  override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) keys else values
}
