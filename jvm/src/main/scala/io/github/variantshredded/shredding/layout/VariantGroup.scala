package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}
import org.apache.parquet.column.ColumnDescriptor

/**
 * A Variant column as one file stores it: its leaf columns and what each holds.
 *
 * {{{
 * optional group v (VARIANT) {           <- this
 *   required binary metadata;            <- metadata
 *   optional binary value;               <- root.value
 *   optional int64 typed_value;          <- root.typedValue
 * }
 * }}}
 *
 * @param column
 *   dotted path of the group in the file
 * @param levels
 *   levels of the group itself; below its definition level the Variant is SQL NULL
 * @param metadata
 *   None in the earlier layout, where each untyped value has its own
 * @param leaves
 *   every leaf, in the order of the file; `metadata` first
 */
final class VariantGroup(
    val column: String,
    val parquetPath: Seq[String],
    val levels: Levels,
    val required: Boolean,
    val metadata: Option[VariantLeaf],
    val root: VariantPosition,
    val leaves: Array[VariantLeaf]
) {
  def layout: Layout = root.layout
}

/** Repetition and definition level of a Parquet node. */
final case class Levels(repetition: Int, definition: Int)

/**
 * One leaf column below a Variant group.
 *
 * @param index
 *   place in `VariantGroup.leaves`
 * @param descriptor
 *   path and levels as in the file
 */
final class VariantLeaf(val index: Int, val descriptor: ColumnDescriptor, val required: Boolean) {
  def maxDefinition: Int = descriptor.getMaxDefinitionLevel

  def maxRepetition: Int = descriptor.getMaxRepetitionLevel

  def path: String = descriptor.getPath.mkString(".")
}

/**
 * One position in a shredded Variant: the root, a field of an object or the element of an array
 * (VariantShredding, "Value Shredding").
 *
 * @param path
 *   the position in the value, as errors show it: `$.items[*].price`
 * @param value
 *   the untyped column; None where the file has none
 * @param typedValue
 *   the typed column or group; None where the file has none
 * @param layout
 *   that of the whole Variant
 */
final class VariantPosition(
    val path: String,
    val parquetPath: Seq[String],
    val levels: Levels,
    val required: Boolean,
    val value: Option[VariantLeaf],
    val typedValue: Option[TypedValue],
    val layout: Layout
) {

  /** Whether there is no leaf here or below. */
  def isEmpty: Boolean = value.isEmpty && typedValue.isEmpty

  /** The position with some of its columns only. */
  def only(someValue: Option[VariantLeaf], someTypedValue: Option[TypedValue]): VariantPosition =
    new VariantPosition(
      path,
      parquetPath,
      levels,
      required,
      someValue,
      someTypedValue,
      layout
    )

  /** How the position is shredded, without the place of its columns. */
  def schema: ShreddingSchema =
    typedValue.fold[ShreddingSchema](ShreddingSchema.Unshredded)(_.schema)

  /** All leaves here and below. */
  def leaves: Seq[VariantLeaf] = value.toSeq ++ typedValue.toSeq.flatMap(_.leaves)

  /** The untyped columns here and below. */
  def residuals: Seq[VariantLeaf] = value.toSeq ++ typedValue.toSeq.flatMap(_.residuals)
}

/** What a `typed_value` is. */
sealed trait TypedValue {

  /** How it is shredded. */
  def schema: ShreddingSchema = this match {
    case primitive: TypedValue.Primitive => ShreddingSchema.Primitive(primitive.shreddedType)
    case list: TypedValue.ListGroup      => ShreddingSchema.ArrayOf(list.element.schema)
    case obj: TypedValue.ObjectGroup     =>
      ShreddingSchema.ObjectOf(obj.names.zip(obj.fields.map(_.schema)))
    // A schema has one type: the richest.
    case several: TypedValue.OneOf => several.branches.head.schema
  }

  /** All leaves of it. */
  def leaves: Seq[VariantLeaf] = this match {
    case primitive: TypedValue.Primitive => Seq(primitive.leaf)
    case list: TypedValue.ListGroup      => list.element.leaves
    case obj: TypedValue.ObjectGroup     => obj.fields.flatMap(_.leaves)
    case several: TypedValue.OneOf       => several.branches.flatMap(_.leaves)
  }

  /** It, or the branch of it, if that is an object. */
  def asObject: Option[TypedValue.ObjectGroup] = branches.collectFirst {
    case obj: TypedValue.ObjectGroup => obj
  }

  /** It, or the branch of it, if that is an array. */
  def asList: Option[TypedValue.ListGroup] = branches.collectFirst {
    case list: TypedValue.ListGroup => list
  }

  /** What of it may be non-null: one of these at a time. */
  def branches: Vector[TypedValue] = this match {
    case several: TypedValue.OneOf => several.several
    case one                       => Vector(one)
  }

  /** The untyped columns below it. */
  def residuals: Seq[VariantLeaf] = this match {
    case _: TypedValue.Primitive     => Nil
    case list: TypedValue.ListGroup  => list.element.residuals
    case obj: TypedValue.ObjectGroup => obj.fields.flatMap(_.residuals)
    case several: TypedValue.OneOf   => several.branches.flatMap(_.residuals)
  }
}

object TypedValue {

  /** What has these branches, in the order of [[OneOf]]; None without any. */
  def of(branches: Vector[TypedValue]): Option[TypedValue] = branches match {
    case Vector()    => None
    case Vector(one) => Some(one)
    case several     => Some(OneOf(several))
  }

  final case class Primitive(leaf: VariantLeaf, shreddedType: ShreddedType) extends TypedValue

  /**
   * @param names
   *   field names in the order of the file, unique
   * @param ordinal
   *   place of the first field in the list of all shredded fields of the Variant
   */
  final case class ObjectGroup(
      parquetPath: Seq[String],
      levels: Levels,
      required: Boolean,
      names: Vector[String],
      fields: Vector[VariantPosition],
      ordinal: Int
  ) extends TypedValue

  /**
   * @param levels
   *   levels of the LIST group: at its definition level a list is there and empty
   */
  final case class ListGroup(
      parquetPath: Seq[String],
      levels: Levels,
      required: Boolean,
      element: VariantPosition
  ) extends TypedValue

  /**
   * Columns of several types, of which one is non-null at a time: what the earlier layout allows.
   *
   * @param several
   *   an object before an array before a primitive
   */
  final case class OneOf(several: Vector[TypedValue]) extends TypedValue
}
