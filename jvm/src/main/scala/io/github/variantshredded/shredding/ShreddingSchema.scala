package io.github.variantshredded.shredding

/**
 * How one Variant position is shredded, independent of any file (VariantShredding, "Value
 * Shredding").
 *
 * Every position also has the untyped `value`; the schema says what `typed_value` holds.
 */
sealed trait ShreddingSchema

object ShreddingSchema {

  /**
   * Deepest nesting of shredded positions that is read or written. What walks them, here, in Spark
   * and in parquet-java, is recursive: a thread's usual stack has room for about three times as many.
   */
  final val MaxDepth = 200

  /** No `typed_value`: the position is stored as Variant binary only. */
  case object Unshredded extends ShreddingSchema

  /** `typed_value` is a primitive. */
  final case class Primitive(shreddedType: ShreddedType) extends ShreddingSchema

  /** `typed_value` is a group with one required group per field; names are unique. */
  final case class ObjectOf(fields: Vector[(String, ShreddingSchema)]) extends ShreddingSchema

  /** `typed_value` is a three-level list. */
  final case class ArrayOf(element: ShreddingSchema) extends ShreddingSchema
}
