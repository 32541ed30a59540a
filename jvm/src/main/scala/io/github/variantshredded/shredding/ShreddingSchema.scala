package io.github.variantshredded.shredding

/**
 * Describes the shredding schema of one position of a Variant, independent of any file
 * (VariantShredding, "Value Shredding").
 *
 * Every position also has the residual column `value`; the schema describes its `typed_value`.
 */
sealed trait ShreddingSchema

object ShreddingSchema {

  /**
   * Deepest nesting of shredded positions that is read or written. This project, Spark and
   * parquet-java process them recursively; a thread's usual stack is enough for about three times
   * this depth.
   */
  final val MaxDepth = 200

  /** The position has no `typed_value`: it is stored as Variant binary only. */
  case object Unshredded extends ShreddingSchema

  /** The `typed_value` has a primitive type. */
  final case class Primitive(shreddedType: ShreddedType) extends ShreddingSchema

  /** The `typed_value` is a group with one required group per field; names are unique. */
  final case class ObjectOf(fields: Vector[(String, ShreddingSchema)]) extends ShreddingSchema

  /** The `typed_value` is a three-level list. */
  final case class ArrayOf(element: ShreddingSchema) extends ShreddingSchema
}
