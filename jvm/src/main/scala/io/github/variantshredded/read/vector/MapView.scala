package io.github.variantshredded.read.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarMap, ColumnVector}

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
