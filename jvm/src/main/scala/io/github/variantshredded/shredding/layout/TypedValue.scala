package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}

/** Describes the typed column of a position: a primitive column, an array or an object. */
sealed trait TypedValue {

  /** Returns the shredding schema of this value and what is below it. */
  def schema: ShreddingSchema = this match {
    case primitive: TypedValue.Primitive => ShreddingSchema.Primitive(primitive.shreddedType)
    case list: TypedValue.ListGroup      => ShreddingSchema.ArrayOf(list.element.schema)
    case obj: TypedValue.ObjectGroup     =>
      ShreddingSchema.ObjectOf(obj.names.zip(obj.fields.map(_.schema)))
    // A schema has one type per position, so it takes the first of several.
    case several: TypedValue.OneOf => several.branches.head.schema
  }

  /** Returns all leaf columns of this value. */
  def leaves: Seq[VariantLeaf] = this match {
    case primitive: TypedValue.Primitive => Seq(primitive.leaf)
    case list: TypedValue.ListGroup      => list.element.leaves
    case obj: TypedValue.ObjectGroup     => obj.fields.flatMap(_.leaves)
    case several: TypedValue.OneOf       => several.branches.flatMap(_.leaves)
  }

  /** Returns this value if it is an object, or its branch that is one. */
  def asObject: Option[TypedValue.ObjectGroup] = branches.collectFirst {
    case obj: TypedValue.ObjectGroup => obj
  }

  /** Returns this value if it is an array, or its branch that is one. */
  def asList: Option[TypedValue.ListGroup] = branches.collectFirst {
    case list: TypedValue.ListGroup => list
  }

  /**
   * Returns the alternatives, of which at most one is not null in a row; several only in `OneOf`.
   */
  def branches: Vector[TypedValue] = this match {
    case several: TypedValue.OneOf => several.several
    case one                       => Vector(one)
  }

  /** Returns the residual columns below this value. */
  def residuals: Seq[VariantLeaf] = this match {
    case _: TypedValue.Primitive     => Nil
    case list: TypedValue.ListGroup  => list.element.residuals
    case obj: TypedValue.ObjectGroup => obj.fields.flatMap(_.residuals)
    case several: TypedValue.OneOf   => several.branches.flatMap(_.residuals)
  }
}

object TypedValue {

  /** Returns a value with these branches, in the order of [[OneOf]]; None if there are none. */
  def of(branches: Vector[TypedValue]): Option[TypedValue] = branches match {
    case Vector()    => None
    case Vector(one) => Some(one)
    case several     => Some(OneOf(several))
  }

  final case class Primitive(leaf: VariantLeaf, shreddedType: ShreddedType) extends TypedValue

  /**
   * Describes an object: a group with one group per field.
   *
   * @param names
   *   field names in the order of the file, unique
   * @param ordinal
   *   index of the first field in the list of all shredded fields of the Variant
   */
  final case class ObjectGroup(
      parquetPath: Seq[String],
      levels: Levels,
      required: Boolean,
      names: Vector[String],
      fields: Vector[VariantPosition],
      ordinal: Int
  ) extends TypedValue {

    lazy val byName: FieldOrder = new FieldOrder(names)
  }

  /**
   * Describes an array: a three-level list.
   *
   * @param levels
   *   levels of the LIST group: at its definition level, the array exists and is empty
   */
  final case class ListGroup(
      parquetPath: Seq[String],
      levels: Levels,
      required: Boolean,
      element: VariantPosition
  ) extends TypedValue

  /**
   * Describes typed columns of several types, of which at most one is not null in a row. Only the
   * earlier layout allows this.
   *
   * @param several
   *   the branches, in the order object, array, primitive
   */
  final case class OneOf(several: Vector[TypedValue]) extends TypedValue
}
