package io.github.variantshredded.variant

/** Defines the numbers of the Variant binary encoding ("Value encoding", "Encoding types"). */
object VariantConstants {
  final val BasicPrimitive = 0
  final val BasicShortString = 1
  final val BasicObject = 2
  final val BasicArray = 3

  final val Null = 0
  final val True = 1
  final val False = 2
  final val Int8 = 3
  final val Int16 = 4
  final val Int32 = 5
  final val Int64 = 6
  final val Double = 7
  final val Decimal4 = 8
  final val Decimal8 = 9
  final val Decimal16 = 10
  final val Date = 11
  final val TimestampMicros = 12
  final val TimestampNtzMicros = 13
  final val Float = 14
  final val Binary = 15
  final val LongString = 16
  final val TimeNtzMicros = 17
  final val TimestampNanos = 18
  final val TimestampNtzNanos = 19
  final val Uuid = 20

  /** Longest string, in bytes, that fits the short form. */
  final val MaxShortString = 63

  /** Deepest nesting that is read or written unless an option sets another limit. */
  final val DefaultMaxDepth = 1000

  /** Spark's limit on the size of a value and of its metadata, in bytes. */
  final val SizeLimit: Int = 128 * 1024 * 1024
}
