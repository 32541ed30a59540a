package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.ShreddedType
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/**
 * Tells which types of Parquet columns can be a `typed_value` ("Shredded Value Types").
 * [[SpecLayoutWriter]] has the opposite direction.
 */
private[layout] object ShreddedValueTypes {

  /** Returns the shredded type of a primitive `typed_value`, or why there is none. */
  def of(field: PrimitiveType): Either[String, ShreddedType] = {
    val annotation = Option(field.getLogicalTypeAnnotation)
    def unknown = Left(s"'$field' is not one of the shredded value types of the spec.")
    (field.getPrimitiveTypeName, annotation) match {
      case (BOOLEAN, None) => Right(ShreddedType.BooleanType)
      case (INT32, None)   => Right(ShreddedType.Int32)
      case (INT32, Some(i: IntLogicalTypeAnnotation)) if i.isSigned =>
        i.getBitWidth match {
          case 8  => Right(ShreddedType.Int8)
          case 16 => Right(ShreddedType.Int16)
          case 32 => Right(ShreddedType.Int32)
          case _  => unknown
        }
      case (INT64, None) => Right(ShreddedType.Int64)
      case (INT64, Some(i: IntLogicalTypeAnnotation)) if i.isSigned && i.getBitWidth == 64 =>
        Right(ShreddedType.Int64)
      case (FLOAT, None)                                     => Right(ShreddedType.FloatType)
      case (DOUBLE, None)                                    => Right(ShreddedType.DoubleType)
      case (physical, Some(d: DecimalLogicalTypeAnnotation)) =>
        val fits = physical match {
          case INT32                         => d.getPrecision <= 9
          case INT64                         => d.getPrecision <= 18
          case BINARY | FIXED_LEN_BYTE_ARRAY => d.getPrecision <= 38
          case _                             => false
        }
        if (fits && d.getScale >= 0 && d.getScale <= d.getPrecision) {
          Right(ShreddedType.DecimalOf(d.getPrecision, d.getScale))
        } else {
          unknown
        }
      case (INT32, Some(_: DateLogicalTypeAnnotation)) => Right(ShreddedType.Date)
      case (INT64, Some(t: TimeLogicalTypeAnnotation))
          if t.getUnit == TimeUnit.MICROS && !t.isAdjustedToUTC =>
        Right(ShreddedType.Time)
      case (INT64, Some(t: TimestampLogicalTypeAnnotation)) =>
        (t.getUnit, t.isAdjustedToUTC) match {
          case (TimeUnit.MICROS, true)  => Right(ShreddedType.TimestampMicros)
          case (TimeUnit.MICROS, false) => Right(ShreddedType.TimestampNtzMicros)
          case (TimeUnit.NANOS, true)   => Right(ShreddedType.TimestampNanos)
          case (TimeUnit.NANOS, false)  => Right(ShreddedType.TimestampNtzNanos)
          case _                        => unknown
        }
      case (BINARY, None)                                 => Right(ShreddedType.Binary)
      case (BINARY, Some(_: StringLogicalTypeAnnotation)) => Right(ShreddedType.StringType)
      case (FIXED_LEN_BYTE_ARRAY, Some(_: UUIDLogicalTypeAnnotation))
          if field.getTypeLength == 16 =>
        Right(ShreddedType.Uuid)
      case _ => unknown
    }
  }
}
