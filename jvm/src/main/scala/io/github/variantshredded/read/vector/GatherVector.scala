package io.github.variantshredded.read.vector

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
  protected def index(slot: Int): Int

  private val children: Array[GatherVector] = dataType match {
    case struct: StructType => struct.fields.map(f => child(f.dataType))
    case VariantType        => Array(child(BinaryType), child(BinaryType))
    case _                  => Array.empty
  }

  private def child(childType: DataType): GatherVector = {
    val outer = this
    new GatherVector(childType, None) {
      override protected def index(slot: Int): Int = outer.index(slot)
    }
  }

  override def isNullAt(slot: Int): Boolean =
    absent.isEmpty && (index(slot) < 0 || elements.isNullAt(index(slot)))
  override def hasNull: Boolean = absent.isEmpty
  override def numNulls: Int = 0
  override def close(): Unit = ()
  override def getBoolean(slot: Int): Boolean =
    if (index(slot) < 0) absent.contains(true) else elements.getBoolean(index(slot))
  override def getByte(slot: Int): Byte = elements.getByte(index(slot))
  override def getShort(slot: Int): Short = elements.getShort(index(slot))
  override def getInt(slot: Int): Int = elements.getInt(index(slot))
  override def getLong(slot: Int): Long = elements.getLong(index(slot))
  override def getFloat(slot: Int): Float = elements.getFloat(index(slot))
  override def getDouble(slot: Int): Double = elements.getDouble(index(slot))
  override def getArray(slot: Int): ColumnarArray = elements.getArray(index(slot))
  override def getMap(slot: Int): ColumnarMap = elements.getMap(index(slot))
  override def getDecimal(slot: Int, precision: Int, scale: Int): Decimal =
    elements.getDecimal(index(slot), precision, scale)
  override def getUTF8String(slot: Int): UTF8String = elements.getUTF8String(index(slot))
  override def getBinary(slot: Int): Array[Byte] = elements.getBinary(index(slot))
  override def getChild(ordinal: Int): ColumnVector = {
    children(ordinal).elements = elements.getChild(ordinal)
    children(ordinal)
  }
}
