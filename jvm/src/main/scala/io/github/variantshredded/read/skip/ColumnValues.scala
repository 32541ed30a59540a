package io.github.variantshredded.read.skip

import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Converts the stored values of ordinary columns in the same way as Spark's Parquet source. */
private[skip] object ColumnValues {

  /**
   * Returns the conversion of a column.
   *
   * @param target
   *   the Spark type as which the column is read
   * @return
   *   None if statistics of this type are not supported
   */
  def of(
      physical: PrimitiveType,
      target: DataType,
      rebase: CalendarRebase
  ): Option[StoredValues] = {
    val annotation = physical.getLogicalTypeAnnotation
    (physical.getPrimitiveTypeName, annotation, target) match {
      case (BOOLEAN, null, BooleanType)                          => Some(new Same(physical, target))
      case (INT32, null, _)                                      => integral(physical, target)
      case (INT32, i: IntLogicalTypeAnnotation, _) if i.isSigned => integral(physical, target)
      case (INT64, null, LongType)                               => integral(physical, target)
      case (INT64, i: IntLogicalTypeAnnotation, LongType) if i.isSigned =>
        integral(physical, target)
      case (INT32, _: DateLogicalTypeAnnotation, DateType) =>
        Some(new Dates(physical, rebase))
      case (INT64, t: TimestampLogicalTypeAnnotation, TimestampType) if t.isAdjustedToUTC =>
        microsPer(t.getUnit).map(new Timestamps(physical, target, _, rebase))
      case (INT64, t: TimestampLogicalTypeAnnotation, TimestampNTZType) if !t.isAdjustedToUTC =>
        microsPer(t.getUnit).map(new Timestamps(physical, target, _, CalendarRebase.None))
      case (FLOAT, null, FloatType)           => Some(new Floating(physical, target))
      case (FLOAT | DOUBLE, null, DoubleType) => Some(new Floating(physical, target))
      case (BINARY, null | _: StringLogicalTypeAnnotation, BinaryType) =>
        Some(new Same(physical, target))
      case (
            BINARY,
            null | _: StringLogicalTypeAnnotation | _: EnumLogicalTypeAnnotation |
            _: JsonLogicalTypeAnnotation,
            StringType
          ) =>
        Some(new Strings(physical))
      case (
            INT32 | INT64 | BINARY | FIXED_LEN_BYTE_ARRAY,
            d: DecimalLogicalTypeAnnotation,
            target: DecimalType
          ) =>
        Some(new Decimals(physical, d, target))
      case _ => None
    }
  }

  private def integral(physical: PrimitiveType, target: DataType): Option[StoredValues] =
    target match {
      case ByteType | ShortType | IntegerType | LongType | DoubleType =>
        Some(new Integers(physical, target))
      case _ => None
    }

  private def microsPer(unit: TimeUnit): Option[Long] = unit match {
    case TimeUnit.MICROS => Some(1L)
    case TimeUnit.MILLIS => Some(1000L)
    case _               => None
  }

  /** Passes on Booleans and binaries, which are not converted. */
  final class Same(physical: PrimitiveType, target: DataType)
      extends StoredValues(physical, target) {
    override protected def convert(stored: Any): Option[Any] = Some(stored)
    override def isTotal: Boolean = true
    override def isExact: Boolean = target == BooleanType
    override def storedFor(literal: Any): Option[StoredLiteral] =
      Option.when(target == BinaryType)(StoredLiteral.Is(literal))
  }

  final class Strings(physical: PrimitiveType) extends StoredValues(physical, StringType) {
    override protected def convert(stored: Any): Option[Any] = stored match {
      case bytes: Array[Byte] => Some(UTF8String.fromBytes(bytes))
      case _                  => None
    }
    override def isTotal: Boolean = true
    override def isExact: Boolean = false
    override def storedFor(literal: Any): Option[StoredLiteral] = literal match {
      case text: UTF8String => Some(StoredLiteral.Is(text.getBytes))
      case _                => None
    }
  }

  final class Floating(physical: PrimitiveType, target: DataType)
      extends StoredValues(physical, target) {
    override protected def convert(stored: Any): Option[Any] = (stored, target) match {
      case (number: Float, DoubleType) => Some(number.toDouble)
      case _                           => Some(stored)
    }
    override def isTotal: Boolean = true
    override def mayHideNaN: Boolean = true
    override def isExact: Boolean = true
  }

  final class Integers(physical: PrimitiveType, target: DataType)
      extends StoredValues(physical, target) {
    private val isInt = physical.getPrimitiveTypeName == INT32

    override protected def convert(stored: Any): Option[Any] =
      PlainValue.integer(stored).flatMap { number =>
        target match {
          case ByteType    => Option.when(number.isValidByte)(number.toByte)
          case ShortType   => Option.when(number.isValidShort)(number.toShort)
          case IntegerType => Option.when(number.isValidInt)(number.toInt)
          case LongType    => Some(number)
          case DoubleType  => Some(number.toDouble)
          case _           => None
        }
      }

    // Spark truncates numbers that do not fit into a byte or a short.
    override def isTotal: Boolean = target match {
      case ByteType | ShortType => false
      case _                    => true
    }
    override def isExact: Boolean = true

    override def storedFor(literal: Any): Option[StoredLiteral] = target match {
      case IntegerType | LongType =>
        literal match {
          case number: Int  => Some(StoredLiteral.Is(number))
          case number: Long => Some(fitting(number))
          case _            => None
        }
      case _ => None
    }

    private def fitting(number: Long): StoredLiteral =
      if (!isInt) StoredLiteral.Is(number)
      else if (number.isValidInt) StoredLiteral.Is(number.toInt)
      else StoredLiteral.Nothing
  }

  final class Dates(physical: PrimitiveType, rebase: CalendarRebase)
      extends StoredValues(physical, DateType) {
    override protected def convert(stored: Any): Option[Any] = stored match {
      case days: Int => rebase.date(days)
      case _         => None
    }
    override def isTotal: Boolean = true
    override def isExact: Boolean = true
    override def storedFor(literal: Any): Option[StoredLiteral] =
      Option.when(rebase.isNone)(StoredLiteral.Is(literal))
  }

  /**
   * Converts timestamps in milliseconds or microseconds.
   *
   * @param micros
   *   microseconds per stored unit
   */
  final class Timestamps(
      physical: PrimitiveType,
      target: DataType,
      micros: Long,
      rebase: CalendarRebase
  ) extends StoredValues(physical, target) {
    override protected def convert(stored: Any): Option[Any] = stored match {
      case number: Long => rebase.timestamp(Math.multiplyExact(number, micros))
      case _            => None
    }
    override def isTotal: Boolean = micros == 1
    override def isExact: Boolean = true
    override def storedFor(literal: Any): Option[StoredLiteral] = literal match {
      case number: Long if rebase.isNone =>
        Some(
          if (number % micros == 0) StoredLiteral.Is(number / micros) else StoredLiteral.Nothing
        )
      case _ => None
    }
  }

  final class Decimals(
      physical: PrimitiveType,
      annotation: DecimalLogicalTypeAnnotation,
      target: DecimalType
  ) extends StoredValues(physical, target) {
    private val scale = annotation.getScale

    override protected def convert(stored: Any): Option[Any] =
      StoredValues
        .decimal(stored, scale, annotation.getPrecision)
        .filter(number =>
          scale <= target.scale && number.precision - scale <= target.precision - target.scale
        )
        .map(number => Decimal(number.setScale(target.scale), target.precision, target.scale))

    override def isTotal: Boolean =
      scale <= target.scale && annotation.getPrecision - scale <= target.precision - target.scale

    override def isExact: Boolean = physical.getPrimitiveTypeName match {
      case INT32 | INT64 => true
      case _             => false
    }

    override def storedFor(literal: Any): Option[StoredLiteral] = literal match {
      case number: Decimal => DecimalForm.of(physical, scale, number.toJavaBigDecimal)
      case _               => None
    }
  }
}
