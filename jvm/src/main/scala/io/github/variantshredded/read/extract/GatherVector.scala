package io.github.variantshredded.read.extract

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Maps each slot to a slot of another vector.
 *
 * @param absent
 *   the value of a flag in slots that map to no slot; None if these slots are null
 */
private[read] abstract class GatherVector(dataType: DataType, absent: Option[Boolean])
    extends ColumnVector(dataType) {
  var elements: ColumnVector = _

  /** Returns the slot in `elements`, or -1 for none. */
  protected def place(slot: Int): Int

  private val children: Array[GatherVector] = dataType match {
    case struct: StructType => struct.fields.map(f => child(f.dataType))
    case VariantType        => Array(child(BinaryType), child(BinaryType))
    case _                  => Array.empty
  }

  private def child(childType: DataType): GatherVector = {
    val outer = this
    new GatherVector(childType, None) {
      override protected def place(slot: Int): Int = outer.place(slot)
    }
  }

  override def isNullAt(slot: Int): Boolean =
    absent.isEmpty && (place(slot) < 0 || elements.isNullAt(place(slot)))
  override def hasNull: Boolean = absent.isEmpty
  override def numNulls: Int = 0
  override def close(): Unit = ()
  override def getBoolean(slot: Int): Boolean =
    if (place(slot) < 0) absent.contains(true) else elements.getBoolean(place(slot))
  override def getByte(slot: Int): Byte = elements.getByte(place(slot))
  override def getShort(slot: Int): Short = elements.getShort(place(slot))
  override def getInt(slot: Int): Int = elements.getInt(place(slot))
  override def getLong(slot: Int): Long = elements.getLong(place(slot))
  override def getFloat(slot: Int): Float = elements.getFloat(place(slot))
  override def getDouble(slot: Int): Double = elements.getDouble(place(slot))
  override def getArray(slot: Int): ColumnarArray = elements.getArray(place(slot))
  override def getMap(slot: Int): ColumnarMap = elements.getMap(place(slot))
  override def getDecimal(slot: Int, precision: Int, scale: Int): Decimal =
    elements.getDecimal(place(slot), precision, scale)
  override def getUTF8String(slot: Int): UTF8String = elements.getUTF8String(place(slot))
  override def getBinary(slot: Int): Array[Byte] = elements.getBinary(place(slot))
  override def getChild(ordinal: Int): ColumnVector = {
    children(ordinal).elements = elements.getChild(ordinal)
    children(ordinal)
  }
}
