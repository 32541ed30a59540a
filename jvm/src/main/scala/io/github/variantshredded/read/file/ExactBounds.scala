package io.github.variantshredded.read.file

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{
  BOOLEAN,
  DOUBLE,
  FLOAT,
  INT32,
  INT64
}
import org.apache.spark.sql.types._

/**
 * Converts the bounds of column chunks to values of Spark, for the types whose bounds are values of
 * the chunk and whose order Parquet and Spark share. It leaves out strings and binary values, whose
 * bounds may be truncated, and floating-point numbers, whose bounds leave out NaN.
 */
private[file] object ExactBounds {

  /** Returns whether the bounds of a leaf column are exact bounds of its values as `target`. */
  def supports(leaf: PrimitiveType, target: DataType): Boolean = {
    val physical = leaf.getPrimitiveTypeName
    val isInt = physical == INT32 || physical == INT64
    (leaf.getLogicalTypeAnnotation, target) match {
      case (null, BooleanType)                                   => physical == BOOLEAN
      case (null, ByteType | ShortType | IntegerType | LongType) => isInt
      case (int: IntLogicalTypeAnnotation, ByteType | ShortType | IntegerType | LongType) =>
        isInt && int.isSigned
      case (_: DateLogicalTypeAnnotation, DateType)                    => physical == INT32
      case (time: TimestampLogicalTypeAnnotation, TimestampType)       => isMicros(time, true)
      case (time: TimestampLogicalTypeAnnotation, TimestampNTZType)    => isMicros(time, false)
      case (decimal: DecimalLogicalTypeAnnotation, wider: DecimalType) =>
        isInt && wider.scale >= decimal.getScale &&
        wider.precision - wider.scale >= decimal.getPrecision - decimal.getScale
      case _ => false
    }
  }

  /**
   * Returns whether each value of a leaf column is a value of `target`, if its bounds are values of
   * `target` too (see [[of]]) or if they are not supported.
   */
  def countable(leaf: PrimitiveType, target: DataType): Boolean =
    supports(leaf, target) || {
      (leaf.getLogicalTypeAnnotation, leaf.getPrimitiveTypeName, target) match {
        case (_, _, VariantType)                                => true
        case (_: StringLogicalTypeAnnotation, _, _: StringType) => true
        case (null, FLOAT, FloatType)                           => true
        case (null, DOUBLE, DoubleType)                         => true
        case _                                                  => false
      }
    }

  /**
   * Returns whether an ordinary column is read as `target` without an error: a Variant can be cast to
   * narrower types, an ordinary column cannot.
   */
  def isRead(leaf: PrimitiveType, target: DataType): Boolean =
    (leaf.getLogicalTypeAnnotation, target) match {
      case (_, ByteType | ShortType | IntegerType) => leaf.getPrimitiveTypeName == INT32
      case (decimal: DecimalLogicalTypeAnnotation, same: DecimalType) =>
        decimal.getPrecision == same.precision && decimal.getScale == same.scale
      case _ => true
    }

  private def isMicros(time: TimestampLogicalTypeAnnotation, isAdjusted: Boolean): Boolean =
    time.getUnit == TimeUnit.MICROS && time.isAdjustedToUTC == isAdjusted

  /**
   * Returns the bounds as values of `target`, or None if one of them does not fit into the type, or
   * not into that of the leaf column, or they contradict each other.
   *
   * @param leaf
   *   a leaf column that [[supports]] `target`
   */
  def of(leaf: PrimitiveType, bounds: Statistics[_], target: DataType): Option[(Any, Any)] =
    for {
      least <- value(leaf, bounds.genericGetMin, target)
      greatest <- value(leaf, bounds.genericGetMax, target)
      if isOrdered(least, greatest)
    } yield (least, greatest)

  // Bounds of which the least is the greater one contradict each other.
  private def isOrdered(least: Any, greatest: Any): Boolean = (least, greatest) match {
    case (one: Decimal, other: Decimal) => one <= other
    case (one: Boolean, other: Boolean) => one <= other
    case (one: Number, other: Number)   => one.longValue <= other.longValue
    case _                              => false
  }

  private def value(leaf: PrimitiveType, bound: Any, target: DataType): Option[Any] =
    (bound, target) match {
      case (value: Boolean, BooleanType)                             => Some(value)
      case (number: Number, _) if !isInRange(leaf, number.longValue) => None
      case (number: Number, wider: DecimalType)                      =>
        val decimal = leaf.getLogicalTypeAnnotation.asInstanceOf[DecimalLogicalTypeAnnotation]
        val exact = Decimal(BigDecimal(BigInt(number.longValue), decimal.getScale))
        Option.when(exact.changePrecision(wider.precision, wider.scale))(exact)
      case (number: Number, ByteType)               => fitting(number, Byte.MaxValue)(_.toByte)
      case (number: Number, ShortType)              => fitting(number, Short.MaxValue)(_.toShort)
      case (number: Number, IntegerType | DateType) => fitting(number, Int.MaxValue)(_.toInt)
      case (number: Number, _)                      => Some(number.longValue)
      case _                                        => None
    }

  /**
   * Returns whether a number is one that the type of a leaf column allows. A Variant's `typed_value`
   * with another number raises an error when it is decoded.
   */
  private def isInRange(leaf: PrimitiveType, number: Long): Boolean =
    leaf.getLogicalTypeAnnotation match {
      case int: IntLogicalTypeAnnotation if int.getBitWidth < java.lang.Long.SIZE =>
        val most = (1L << (int.getBitWidth - 1)) - 1
        number <= most && number >= -most - 1
      case _: DecimalLogicalTypeAnnotation =>
        val digits =
          if (leaf.getPrimitiveTypeName == INT32) Decimal.MAX_INT_DIGITS
          else Decimal.MAX_LONG_DIGITS
        BigDecimal(number).precision <= digits
      case _ => true
    }

  private def fitting(number: Number, most: Long)(convert: Long => Any): Option[Any] = {
    val long = number.longValue
    Option.when(long <= most && long >= -most - 1)(convert(long))
  }
}
