package io.github.variantshredded.read.vector

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

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
