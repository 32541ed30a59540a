package io.github.variantshredded.read.extract

import java.util.Arrays

import io.github.variantshredded.read.decode.{
  ArrayView,
  ListVectors,
  ObjectVectors,
  PositionVectors,
  StructView,
  ViewVector
}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Returns a shredded array as `array<...>`: the offsets and lengths of the array over the column of
 * its elements. A batch with a residual value, or with a null element group, is cast from rebuilt
 * Variants.
 *
 * @param required
 *   checks that each element has a value; None if an element without a value is a Variant null
 */
private[read] final class ArrayColumn(
    position: PositionVectors,
    list: ListVectors,
    element: ValueColumn,
    dataType: ArrayType,
    rows: SlotRows,
    required: Option[RequiredValues],
    otherwise: RebuiltColumn
) extends ValueColumn {
  private var current: ColumnVector = _
  private var isPlain = true

  override def vector: ColumnVector = current

  override def startRowGroup(): Unit = element.startRowGroup()

  override def startBatch(slots: Int): Unit = {
    position.startBatch(slots)
    rows.startBatch(slots)
    val elements = SlotRows.elements(list, slots)
    isPlain = !NestedColumns.hasResidual(position, slots) && !hasNullGroup(elements)
    if (isPlain) {
      element.startBatch(elements)
      required.foreach { values =>
        values.startBatch(elements)
        check(values, slots)
      }
      current = new ArrayView(dataType, list.list, element.vector)
    } else {
      otherwise.fill(slots)
      current = otherwise.vector
    }
  }

  private def check(values: RequiredValues, slots: Int): Unit = {
    var slot = 0
    while (slot < slots) {
      if (!list.list.isNullAt(slot)) {
        val from = list.list.getArrayOffset(slot)
        val to = from + list.list.getArrayLength(slot)
        var i = from
        while (i < to) {
          values.check(i)
          i += 1
        }
      }
      slot += 1
    }
  }

  private def hasNullGroup(elements: Int): Boolean = {
    val group = list.elementGroup
    var found = false
    var i = 0
    while (group != null && i < elements && !found) {
      found = group.isNullAt(i)
      i += 1
    }
    found
  }

  override def failed: Boolean = if (isPlain) element.failed else otherwise.failed

  override def error(slot: Int): SparkThrowable =
    if (!isPlain) otherwise.error(slot)
    else if (list.list.isNullAt(slot)) null
    else {
      val from = list.list.getArrayOffset(slot)
      val to = from + list.list.getArrayLength(slot)
      var found: SparkThrowable = null
      var i = from
      while (i < to && found == null) {
        found = element.error(i)
        i += 1
      }
      found
    }

  override def close(): Unit = {
    element.close()
    otherwise.close()
  }
}

/**
 * Returns a shredded object as `struct<...>`: a view of the columns of its fields. A batch with a
 * residual value is cast from rebuilt Variants, unless the value has no part in the struct.
 *
 * @param fields
 *   one column per field of the struct
 * @param byName
 *   the indexes of the fields in the order of their names, in which Spark reports errors
 * @param onlyShredded
 *   whether the struct needs nothing of a residual value beside a shredded object
 */
private[read] final class StructColumn(
    position: PositionVectors,
    obj: ObjectVectors,
    fields: Array[ValueColumn],
    byName: Array[Int],
    onlyShredded: Boolean,
    dataType: StructType,
    otherwise: RebuiltColumn
) extends ValueColumn {
  private var current: ColumnVector = _
  private var isPlain = true
  private var slots = 0

  private val presence = new ViewVector(BooleanType) {
    override def hasNull: Boolean = true
    override def numNulls: Int = (0 until slots).count(isNullAt)
    override def isNullAt(slot: Int): Boolean = !obj.isPresent(slot)
  }

  override def vector: ColumnVector = current

  override def startRowGroup(): Unit = fields.foreach(_.startRowGroup())

  override def startBatch(slots: Int): Unit = {
    this.slots = slots
    position.startBatch(slots)
    isPlain = !NestedColumns.hasResidual(position, slots) ||
      onlyShredded && !hasOtherThanObject(slots)
    if (isPlain) {
      fields.foreach(_.startBatch(slots))
      current = new StructView(dataType, presence, fields.map(_.vector))
    } else {
      otherwise.fill(slots)
      current = otherwise.vector
    }
  }

  private def hasOtherThanObject(slots: Int): Boolean = {
    val value = position.value
    var slot = 0
    while (slot < slots && (value.isNullAt(slot) || obj.isPresent(slot))) slot += 1
    slot < slots
  }

  override def failed: Boolean = if (isPlain) fields.exists(_.failed) else otherwise.failed

  override def error(slot: Int): SparkThrowable =
    if (!isPlain) otherwise.error(slot)
    else {
      var found: SparkThrowable = null
      var i = 0
      while (i < byName.length && found == null) {
        val field = fields(byName(i))
        if (field.failed) found = field.error(slot)
        i += 1
      }
      found
    }

  override def close(): Unit = {
    fields.foreach(_.close())
    otherwise.close()
  }
}

private[read] object NestedColumns {

  /** Returns true if any slot of the batch has a residual value. */
  def hasResidual(position: PositionVectors, slots: Int): Boolean = {
    val value = position.value
    var slot = 0
    while (value != null && slot < slots && value.isNullAt(slot)) slot += 1
    value != null && slot < slots
  }
}

/**
 * Returns the element `index` of a shredded array in each slot, as a view of the column of all
 * elements.
 *
 * @param required
 *   checks that the element has a value; None if an element without a value is a Variant null
 */
private[read] final class ElementColumn(
    position: PositionVectors,
    list: ListVectors,
    index: Int,
    element: ValueColumn,
    rows: SlotRows,
    dataType: DataType,
    absent: Option[Boolean],
    required: Option[RequiredValues]
) extends ValueColumn {
  private var places = new Array[Int](0)

  override def startRowGroup(): Unit = element.startRowGroup()

  override def startBatch(slots: Int): Unit = {
    position.startBatch(slots)
    rows.startBatch(slots)
    val elements = SlotRows.elements(list, slots)
    element.startBatch(elements)
    required.foreach(_.startBatch(elements))
    if (places.length < slots) places = new Array[Int](slots)
    Arrays.fill(places, 0, slots, -1)
    var slot = 0
    while (slot < slots) {
      if (!list.list.isNullAt(slot) && index < list.list.getArrayLength(slot)) {
        places(slot) = list.list.getArrayOffset(slot) + index
        if (required.isDefined) required.get.check(places(slot))
      }
      slot += 1
    }
    view.elements = element.vector
  }

  override def failed: Boolean = element.failed

  override def error(slot: Int): SparkThrowable =
    if (places(slot) < 0) null else element.error(places(slot))

  override def vector: ColumnVector = view

  override def close(): Unit = element.close()

  private object view extends GatherVector(dataType, absent) {
    override protected def place(slot: Int): Int = places(slot)
  }
}

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
