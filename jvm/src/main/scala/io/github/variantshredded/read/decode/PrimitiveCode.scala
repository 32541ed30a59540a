package io.github.variantshredded.read.decode

import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.TypedValue
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/**
 * Numbers the pairs of shredded type and physical type of a primitive `typed_value`, for a switch
 * in the loop that encodes values as Variant binary.
 */
private[read] object PrimitiveCode {
  final val Bool = 0
  final val Int8 = 1
  final val Int16 = 2
  final val Int32 = 3
  final val Int64 = 4
  final val Float = 5
  final val Double = 6
  final val Decimal4 = 7
  final val Decimal8 = 8
  final val Decimal16 = 9
  final val Date = 10
  final val Time = 11
  final val TimestampMicros = 12
  final val TimestampNtzMicros = 13
  final val TimestampNanos = 14
  final val TimestampNtzNanos = 15
  final val Binary = 16
  final val String = 17
  final val Uuid = 18

  def of(typed: TypedValue.Primitive): Int = typed.shreddedType match {
    case ShreddedType.BooleanType  => Bool
    case ShreddedType.Int8         => Int8
    case ShreddedType.Int16        => Int16
    case ShreddedType.Int32        => Int32
    case ShreddedType.Int64        => Int64
    case ShreddedType.FloatType    => Float
    case ShreddedType.DoubleType   => Double
    case _: ShreddedType.DecimalOf =>
      typed.leaf.descriptor.getPrimitiveType.getPrimitiveTypeName match {
        case PrimitiveTypeName.INT32 => Decimal4
        case PrimitiveTypeName.INT64 => Decimal8
        case _                       => Decimal16
      }
    case ShreddedType.Date               => Date
    case ShreddedType.Time               => Time
    case ShreddedType.TimestampMicros    => TimestampMicros
    case ShreddedType.TimestampNtzMicros => TimestampNtzMicros
    case ShreddedType.TimestampNanos     => TimestampNanos
    case ShreddedType.TimestampNtzNanos  => TimestampNtzNanos
    case ShreddedType.Binary             => Binary
    case ShreddedType.StringType         => String
    case ShreddedType.Uuid               => Uuid
  }

  /** Returns the scale of a decimal, or 0 for every other type. */
  def scaleOf(typed: TypedValue.Primitive): Int = typed.shreddedType match {
    case ShreddedType.DecimalOf(_, scale) => scale
    case _                                => 0
  }
}
