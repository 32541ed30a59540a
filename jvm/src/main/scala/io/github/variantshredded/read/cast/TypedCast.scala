package io.github.variantshredded.read.cast

import io.github.variantshredded.read.decode.{PrimitiveCode, PrimitiveVectors}
import io.github.variantshredded.read.vector.VectorCopy
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/**
 * Casts a primitive `typed_value` column, a whole batch at once. The result is the same as that of
 * Spark's cast of the rebuilt Variants.
 *
 * Each cast has a loop of its own, although the loops are alike. In one shared loop that calls a
 * method for each value, the JVM cannot inline the method once several casts have used the loop. A
 * value then takes about nine times as long (`make bench JMH=CastLoop`).
 */
private[read] abstract class TypedCast {

  /** Returns true if the column itself is the result. */
  def isIdentity: Boolean = false

  /**
   * Casts the first `slots` slots. Null stays null.
   *
   * @param failures
   *   set to true for each slot whose value cannot be cast; the result is null there
   * @return
   *   whether any value cannot be cast
   */
  def cast(
      from: WritableColumnVector,
      to: WritableColumnVector,
      slots: Int,
      failures: Array[Boolean]
  ): Boolean
}

private[read] object TypedCast {

  /**
   * Returns the cast of a column to `target`; None if only Spark's cast of a rebuilt Variant gives
   * the same result.
   *
   * @param timeZoneId
   *   time zone for casts from and to timestamps
   */
  def of(
      column: PrimitiveVectors,
      target: DataType,
      timeZoneId: Option[String]
  ): Option[TypedCast] = column.code match {
    // The decoder has already widened the values.
    case PrimitiveCode.Int32 | PrimitiveCode.Float if column.column.values.dataType == target =>
      Some(Identity)
    case PrimitiveCode.Bool =>
      Some(if (target == BooleanType) Identity else general(BooleanType, target, timeZoneId))
    case PrimitiveCode.Int8 | PrimitiveCode.Int16 => Some(small(column.code, target, timeZoneId))
    case PrimitiveCode.Int32                      =>
      Some(target match {
        case IntegerType => Identity
        case LongType    => new NumericCasts.IntToLong
        case DoubleType  => new NumericCasts.IntToDouble
        case _           => integral(target, timeZoneId)
      })
    case PrimitiveCode.Int64 =>
      Some(if (target == LongType) Identity else integral(target, timeZoneId))
    case PrimitiveCode.Float =>
      Some(target match {
        case FloatType  => Identity
        case DoubleType => new NumericCasts.FloatToDouble
        case _          => general(FloatType, target, timeZoneId)
      })
    case PrimitiveCode.Double =>
      Some(if (target == DoubleType) Identity else general(DoubleType, target, timeZoneId))
    case PrimitiveCode.Decimal4 | PrimitiveCode.Decimal8 =>
      target match {
        case decimal: DecimalType => DecimalCasts.rescale(column, decimal)
        case DoubleType           => Some(new DecimalCasts.ToDouble(column))
        case LongType             => Some(new DecimalCasts.ToLong(column))
        case _                    => None
      }
    case PrimitiveCode.Date =>
      Some(if (target == DateType) Identity else general(DateType, target, timeZoneId))
    case PrimitiveCode.TimestampMicros =>
      Some(if (target == TimestampType) Identity else general(TimestampType, target, timeZoneId))
    case PrimitiveCode.TimestampNtzMicros =>
      Some(
        if (target == TimestampNTZType) Identity
        else general(TimestampNTZType, target, timeZoneId)
      )
    case PrimitiveCode.Binary =>
      Some(if (target == BinaryType) Identity else general(BinaryType, target, timeZoneId))
    case PrimitiveCode.String =>
      Some(if (target == StringType) Identity else general(StringType, target, timeZoneId))
    // Spark's Variant does not support the other types, or not all of their values.
    case _ => None
  }

  /**
   * Returns the cast of an int8 or int16 column. Parquet stores these as INT32, so their range has
   * to be checked.
   */
  private def small(code: Int, target: DataType, timeZoneId: Option[String]): TypedCast = {
    val limit = if (code == PrimitiveCode.Int8) Byte.MaxValue.toInt else Short.MaxValue.toInt
    val name = if (code == PrimitiveCode.Int8) "int8" else "int16"
    val plain = target match {
      case IntegerType => Identity
      case LongType    => new NumericCasts.IntToLong
      case DoubleType  => new NumericCasts.IntToDouble
      case _           => integral(target, timeZoneId)
    }
    new NumericCasts.Ranged(plain, limit, name)
  }

  private def integral(target: DataType, timeZoneId: Option[String]): TypedCast = target match {
    case ByteType      => new NumericCasts.Narrow(Byte.MinValue, Byte.MaxValue)
    case ShortType     => new NumericCasts.Narrow(Short.MinValue, Short.MaxValue)
    case IntegerType   => new NumericCasts.Narrow(Int.MinValue, Int.MaxValue)
    case DoubleType    => new NumericCasts.LongToDouble
    case TimestampType => new NumericCasts.SecondsToTimestamp
    case _             => general(LongType, target, timeZoneId)
  }

  private def general(from: DataType, target: DataType, timeZoneId: Option[String]): TypedCast =
    if (Cast.canAnsiCast(from, target)) new CompiledCast(from, target, timeZoneId)
    else Impossible

  /** Casts between equal types. */
  object Identity extends TypedCast {
    override def isIdentity: Boolean = true

    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      VectorCopy.copy(from, to, slots)
      false
    }
  }

  /** Stands for the cast between types that Spark never casts: every value fails. */
  private object Impossible extends TypedCast {
    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      to.putNulls(0, slots)
      var failed = false
      var slot = 0
      while (slot < slots) {
        if (!from.isNullAt(slot)) {
          failures(slot) = true
          failed = true
        }
        slot += 1
      }
      failed
    }
  }
}
