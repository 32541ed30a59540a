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

/** The primitive types of `typed_value` (VariantShredding, "Shredded Value Types"). */
sealed trait ShreddedType

object ShreddedType {
  case object BooleanType extends ShreddedType
  case object Int8 extends ShreddedType
  case object Int16 extends ShreddedType
  case object Int32 extends ShreddedType
  case object Int64 extends ShreddedType
  case object FloatType extends ShreddedType
  case object DoubleType extends ShreddedType

  /** decimal4 (precision 1 to 9), decimal8 (10 to 18) or decimal16 (19 to 38). */
  final case class DecimalOf(precision: Int, scale: Int) extends ShreddedType
  case object Date extends ShreddedType

  /** Microseconds since midnight, without a time zone. */
  case object Time extends ShreddedType

  /** Microseconds since the epoch, adjusted to UTC. */
  case object TimestampMicros extends ShreddedType
  case object TimestampNanos extends ShreddedType
  case object TimestampNtzMicros extends ShreddedType
  case object TimestampNtzNanos extends ShreddedType
  case object Binary extends ShreddedType
  case object StringType extends ShreddedType
  case object Uuid extends ShreddedType
}
