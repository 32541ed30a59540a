package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}

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
