package io.github.variantshredded.write.shred

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.variant.{ArrayCursor, ObjectCursor, VariantReader}
import io.github.variantshredded.variant.encode.{MetadataBuilder, ResidualObjectWriter}
import io.github.variantshredded.write.column.LeafWriter

/**
 * Writes the values at one position of a shredding schema to its leaf columns.
 *
 * Levels are those of the file. Each value comes with its repetition level. `definition` is the
 * definition level of the position's own group, at which the group exists and its columns are null.
 */
private[write] abstract class ShredNode(value: ResidualColumn, definition: Int) {

  /** Writes the value in [pos, end), which has been validated. */
  def write(row: ShredRow, pos: Int, end: Int, repetition: Int): Unit

  /**
   * Writes `count` nulls to all leaf columns: the position or an ancestor of it does not exist.
   *
   * @param at
   *   definition level of the innermost ancestor that exists
   */
  final def addNulls(repetition: Int, at: Int, count: Int): Unit = {
    value.addNulls(repetition, at, count)
    addTypedNulls(repetition, at, count)
  }

  /** Writes nulls as [[addNulls]] does, but to the leaf columns of `typed_value` only. */
  protected def addTypedNulls(repetition: Int, at: Int, count: Int): Unit

  /** Writes the nulls that have been held back. */
  def settle(): Unit = value.settle()

  /** Prepares for metadata dictionaries; `nameCount` is the number of names in the whole schema. */
  def resolve(nameCount: Int): Unit

  /** Writes the value in [pos, end) to the residual column. */
  protected final def writeResidual(row: ShredRow, pos: Int, end: Int, repetition: Int): Unit = {
    value.add(row, row.bytes, pos, end, repetition)
    addTypedNulls(repetition, definition, 1)
  }

  protected final def addValueNull(repetition: Int): Unit =
    value.addNulls(repetition, definition, 1)
}

private[write] object ShredNode {

  /**
   * Returns the node of `schema`, and adds its field names to `names`.
   *
   * @param leaves
   *   the leaf columns of the Variant except `metadata`, in the order of the file
   * @param definition
   *   definition level of the position's group
   * @param repetition
   *   repetition level of a second value in the innermost list around the position
   */
  def apply(
      schema: ShreddingSchema,
      leaves: Iterator[LeafWriter],
      definition: Int,
      repetition: Int,
      names: MetadataBuilder,
      settings: ShredderSettings
  ): ShredNode = {
    val value = ResidualColumn(leaves.next(), settings.layout)
    // In the earlier layout, the groups of fields and elements are optional.
    val group = settings.layout match {
      case Layout.Spec     => 0
      case Layout.Overview => 1
    }
    schema match {
      case Unshredded              => new UnshreddedNode(value, definition)
      case Primitive(shreddedType) =>
        val column = ShreddedColumn(shreddedType, settings)
        new PrimitiveNode(value, definition, column, leaves.next())
      case ArrayOf(element) =>
        // The list is optional and its elements are repeated.
        val inner =
          ShredNode(element, leaves, definition + 2 + group, repetition + 1, names, settings)
        new ArrayNode(value, definition, inner, repetition + 1)
      case ObjectOf(fields) =>
        val nameIds = fields.map { case (name, _) => names.add(name) }
        val nodes = fields.map { case (_, field) =>
          ShredNode(field, leaves, definition + 1 + group, repetition, names, settings)
        }
        new ObjectNode(value, definition, nameIds.toArray, nodes.toArray)
    }
  }
}

/** Writes every value of a position without typed column to the residual column. */
private final class UnshreddedNode(value: ResidualColumn, definition: Int)
    extends ShredNode(value, definition) {
  override def write(row: ShredRow, pos: Int, end: Int, repetition: Int): Unit =
    value.add(row, row.bytes, pos, end, repetition)

  override protected def addTypedNulls(repetition: Int, at: Int, count: Int): Unit = ()

  override def resolve(nameCount: Int): Unit = ()
}

/** Writes the values of one type to a leaf column, and others to the residual column. */
private final class PrimitiveNode(
    value: ResidualColumn,
    definition: Int,
    column: ShreddedColumn,
    typed: LeafWriter
) extends ShredNode(value, definition) {
  override def write(row: ShredRow, pos: Int, end: Int, repetition: Int): Unit =
    if (column.holds(row.bytes, pos, end)) {
      addValueNull(repetition)
      column.add(row.bytes, pos, end, typed, repetition)
    } else writeResidual(row, pos, end, repetition)

  override protected def addTypedNulls(repetition: Int, at: Int, count: Int): Unit =
    typed.addNulls(repetition, at, count)

  override def resolve(nameCount: Int): Unit = ()
}

/** Writes the elements of arrays to their columns, and other values to the residual column. */
private final class ArrayNode(
    value: ResidualColumn,
    definition: Int,
    element: ShredNode,
    elementRepetition: Int
) extends ShredNode(value, definition) {
  private val cursor = new ArrayCursor

  override def write(row: ShredRow, pos: Int, end: Int, repetition: Int): Unit =
    if (VariantReader.kind(row.bytes, pos, end) == VariantReader.ArrayKind) {
      addValueNull(repetition)
      cursor.reset(row.bytes, pos, end)
      val count = cursor.numElements
      if (count == 0) element.addNulls(repetition, definition + 1, 1)
      var i = 0
      while (i < count) {
        val start = cursor.elementPos(i)
        val at = if (i == 0) repetition else elementRepetition
        element.write(row, start, row.endOf(start, cursor.end), at)
        i += 1
      }
    } else writeResidual(row, pos, end, repetition)

  override protected def addTypedNulls(repetition: Int, at: Int, count: Int): Unit =
    element.addNulls(repetition, at, count)

  override def settle(): Unit = {
    super.settle()
    element.settle()
  }

  override def resolve(nameCount: Int): Unit = element.resolve(nameCount)
}

/**
 * Writes an object. Fields with a value are written at once. For missing fields nothing is written
 * in the row: the log records in runs whether the object existed, and a field's nulls are written
 * in bulk from the log, before its next value or when pages end. So missing fields take no time per
 * row.
 *
 * @param nameIds
 *   id of each field's name among the names of the schema
 */
private final class ObjectNode(
    value: ResidualColumn,
    definition: Int,
    nameIds: Array[Int],
    fields: Array[ShredNode]
) extends ShredNode(value, definition) {

  private val cursor = new ObjectCursor
  private val residual = new ResidualObjectWriter
  private val log = new NullLog(fields)

  // Index of the field by the id of its name, or -1.
  private var fieldOf: Array[Int] = Array.emptyIntArray

  override def resolve(nameCount: Int): Unit = {
    fieldOf = Array.fill(nameCount)(-1)
    nameIds.zipWithIndex.foreach { case (id, field) => fieldOf(id) = field }
    fields.foreach(_.resolve(nameCount))
  }

  override def write(row: ShredRow, pos: Int, end: Int, repetition: Int): Unit =
    if (VariantReader.kind(row.bytes, pos, end) == VariantReader.ObjectKind) {
      cursor.reset(row.bytes, pos, end)
      log.add(repetition, definition + 1, 1)
      writeFields(row, repetition)
      if (residual.numFields == 0) addValueNull(repetition)
      else {
        row.residuals.reset()
        residual.writeTo(row.residuals)
        value.add(row, row.residuals.buffer, 0, row.residuals.position, repetition)
      }
    } else writeResidual(row, pos, end, repetition)

  private def writeFields(row: ShredRow, repetition: Int): Unit = {
    residual.reset()
    val count = cursor.numFields
    val limit = cursor.end
    var i = 0
    while (i < count) {
      val id = cursor.fieldId(i)
      val start = cursor.fieldPos(i)
      val name = row.nameOf(id)
      val field = if (name < 0) -1 else fieldOf(name)
      val size = VariantReader.valueSize(row.bytes, start, limit)
      if (field < 0) residual.add(id, row.bytes, start, size)
      else {
        log.meet(field)
        fields(field).write(row, start, start + size, repetition)
      }
      i += 1
    }
  }

  override protected def addTypedNulls(repetition: Int, at: Int, count: Int): Unit =
    log.add(repetition, at, count)

  override def settle(): Unit = {
    super.settle()
    log.settle()
    fields.foreach(_.settle())
  }
}
