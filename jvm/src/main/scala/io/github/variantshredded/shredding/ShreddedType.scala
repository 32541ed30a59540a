package io.github.variantshredded.shredding

/** Lists the primitive types of `typed_value` (VariantShredding, "Shredded Value Types"). */
sealed trait ShreddedType {
  import ShreddedType._

  /** Returns whether Spark's Variants have the type. Spark's casts fail for values of others. */
  def isOfSpark: Boolean = this match {
    case Time | TimestampNanos | TimestampNtzNanos => false
    case _                                         => true
  }
}

object ShreddedType {
  case object BooleanType extends ShreddedType
  case object Int8 extends ShreddedType
  case object Int16 extends ShreddedType
  case object Int32 extends ShreddedType
  case object Int64 extends ShreddedType
  case object FloatType extends ShreddedType
  case object DoubleType extends ShreddedType

  /** Stands for decimal4 (precision 1 to 9), decimal8 (10 to 18) or decimal16 (19 to 38). */
  final case class DecimalOf(precision: Int, scale: Int) extends ShreddedType
  case object Date extends ShreddedType

  /** Counts microseconds since midnight, without a time zone. */
  case object Time extends ShreddedType

  /** Counts microseconds since the epoch, adjusted to UTC. */
  case object TimestampMicros extends ShreddedType
  case object TimestampNanos extends ShreddedType
  case object TimestampNtzMicros extends ShreddedType
  case object TimestampNtzNanos extends ShreddedType
  case object Binary extends ShreddedType
  case object StringType extends ShreddedType
  case object Uuid extends ShreddedType
}
