package io.github.variantshredded.write

import java.util.Arrays

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.variant.{
  ArrayCursor,
  MetadataBuilder,
  ObjectCursor,
  ResidualObjectWriter,
  VariantReader
}
import org.apache.parquet.io.api.Binary

/** One position of a schema, ready to write values; it holds no row but the one at work. */
private[write] abstract class ShredNode {

  /**
   * Writes the value in [pos, end) into the columns `value` and `typed_value` of the group that has
   * been started.
   *
   * @param valueIndex
   *   index of `value` in the group; `typed_value` is the next one
   */
  def write(row: ShredRow, pos: Int, end: Int, valueIndex: Int): Unit

  /** Makes ready for dictionaries that know `nameCount` of the schema's names. */
  def resolve(nameCount: Int): Unit
}

private[write] object ShredNode {
  final val Value = "value"
  final val TypedValue = "typed_value"

  /** The plan for `schema`, whose field names are added to `names`. */
  def apply(
      schema: ShreddingSchema,
      names: MetadataBuilder,
      settings: ShredderSettings
  ): ShredNode = schema match {
    case Unshredded              => UnshreddedNode
    case Primitive(shreddedType) => new PrimitiveNode(ShreddedColumn(shreddedType, settings))
    case ArrayOf(element)        => new ArrayNode(ShredNode(element, names, settings))
    case ObjectOf(fields)        =>
      new ObjectNode(
        fields.map(_._1).toArray,
        fields.map { case (name, _) => names.add(name) }.toArray,
        fields.map { case (_, field) => ShredNode(field, names, settings) }.toArray,
        settings.writesMissing
      )
  }
}

private object UnshreddedNode extends ShredNode {
  override def write(row: ShredRow, pos: Int, end: Int, valueIndex: Int): Unit =
    row.writeBinary(ShredNode.Value, valueIndex, pos, end)

  override def resolve(nameCount: Int): Unit = ()
}

private final class PrimitiveNode(column: ShreddedColumn) extends ShredNode {
  override def write(row: ShredRow, pos: Int, end: Int, valueIndex: Int): Unit =
    if (column.holds(row.bytes, pos, end)) {
      row.consumer.startField(ShredNode.TypedValue, valueIndex + 1)
      column.add(row.bytes, pos, end, row.consumer)
      row.consumer.endField(ShredNode.TypedValue, valueIndex + 1)
    } else row.writeBinary(ShredNode.Value, valueIndex, pos, end)

  override def resolve(nameCount: Int): Unit = ()
}

private final class ArrayNode(element: ShredNode) extends ShredNode {
  private val cursor = new ArrayCursor

  override def resolve(nameCount: Int): Unit = element.resolve(nameCount)

  override def write(row: ShredRow, pos: Int, end: Int, valueIndex: Int): Unit =
    if (VariantReader.kind(row.bytes, pos, end) == VariantReader.ArrayKind) {
      row.consumer.startField(ShredNode.TypedValue, valueIndex + 1)
      row.consumer.startGroup()
      writeElements(row, pos, end)
      row.consumer.endGroup()
      row.consumer.endField(ShredNode.TypedValue, valueIndex + 1)
    } else row.writeBinary(ShredNode.Value, valueIndex, pos, end)

  private def writeElements(row: ShredRow, pos: Int, end: Int): Unit = {
    cursor.reset(row.bytes, pos, end)
    val count = cursor.numElements
    if (count > 0) {
      row.consumer.startField("list", 0)
      var i = 0
      while (i < count) {
        val start = cursor.elementPos(i)
        row.consumer.startGroup()
        row.consumer.startField("element", 0)
        row.consumer.startGroup()
        element.write(row, start, row.endOf(start, cursor.end), 0)
        row.consumer.endGroup()
        row.consumer.endField("element", 0)
        row.consumer.endGroup()
        i += 1
      }
      row.consumer.endField("list", 0)
    }
  }
}

/**
 * @param nameIds
 *   id of each field's name among the schema's names
 */
private final class ObjectNode(
    fieldNames: Array[String],
    nameIds: Array[Int],
    fields: Array[ShredNode],
    writesMissing: Boolean
) extends ShredNode {

  private val cursor = new ObjectCursor
  private val residual = new ResidualObjectWriter

  // Field by id of its name, or -1; by field, where its value starts, or -1 if it is missing.
  private var fieldOf: Array[Int] = Array.emptyIntArray
  private val starts = new Array[Int](fields.length)

  override def resolve(nameCount: Int): Unit = {
    fieldOf = Array.fill(nameCount)(-1)
    nameIds.zipWithIndex.foreach { case (id, field) => fieldOf(id) = field }
    fields.foreach(_.resolve(nameCount))
  }

  override def write(row: ShredRow, pos: Int, end: Int, valueIndex: Int): Unit =
    if (VariantReader.kind(row.bytes, pos, end) == VariantReader.ObjectKind) {
      cursor.reset(row.bytes, pos, end)
      split(row)
      if (residual.numFields > 0) writeResidual(row, valueIndex)
      row.consumer.startField(ShredNode.TypedValue, valueIndex + 1)
      row.consumer.startGroup()
      writeFields(row)
      row.consumer.endGroup()
      row.consumer.endField(ShredNode.TypedValue, valueIndex + 1)
    } else row.writeBinary(ShredNode.Value, valueIndex, pos, end)

  private def split(row: ShredRow): Unit = {
    Arrays.fill(starts, -1)
    residual.reset()
    val count = cursor.numFields
    var i = 0
    while (i < count) {
      val id = cursor.fieldId(i)
      val start = cursor.fieldPos(i)
      val name = row.nameOf(id)
      val field = if (name < 0) -1 else fieldOf(name)
      if (field < 0)
        residual.add(id, row.bytes, start, VariantReader.valueSize(row.bytes, start, cursor.end))
      else starts(field) = start
      i += 1
    }
  }

  private def writeResidual(row: ShredRow, valueIndex: Int): Unit = {
    row.residuals.reset()
    residual.writeTo(row.residuals)
    row.consumer.startField(ShredNode.Value, valueIndex)
    row.consumer.addBinary(
      Binary.fromReusedByteArray(row.residuals.buffer, 0, row.residuals.position)
    )
    row.consumer.endField(ShredNode.Value, valueIndex)
  }

  private def writeFields(row: ShredRow): Unit = {
    val limit = cursor.end
    var field = 0
    while (field < fields.length) {
      val start = starts(field)
      if (start >= 0 || writesMissing) {
        row.consumer.startField(fieldNames(field), field)
        row.consumer.startGroup()
        if (start >= 0) fields(field).write(row, start, row.endOf(start, limit), 0)
        row.consumer.endGroup()
        row.consumer.endField(fieldNames(field), field)
      }
      field += 1
    }
  }
}
