package io.github.variantshredded.read.vector

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** Represents a vector without values of its own; only its children have values. */
private[read] abstract class ViewVector(dataType: DataType) extends ColumnVector(dataType) {
  private def unused = throw new UnsupportedOperationException(s"not a ${dataType.catalogString}")

  override def close(): Unit = ()
  override def getBoolean(rowId: Int): Boolean = unused
  override def getByte(rowId: Int): Byte = unused
  override def getShort(rowId: Int): Short = unused
  override def getInt(rowId: Int): Int = unused
  override def getLong(rowId: Int): Long = unused
  override def getFloat(rowId: Int): Float = unused
  override def getDouble(rowId: Int): Double = unused
  override def getArray(rowId: Int): ColumnarArray = unused
  override def getMap(rowId: Int): ColumnarMap = unused
  override def getDecimal(rowId: Int, precision: Int, scale: Int): Decimal = unused
  override def getUTF8String(rowId: Int): UTF8String = unused
  override def getBinary(rowId: Int): Array[Byte] = unused
  override def getChild(ordinal: Int): ColumnVector = unused
}
