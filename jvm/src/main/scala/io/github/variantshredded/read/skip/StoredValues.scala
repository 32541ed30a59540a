package io.github.variantshredded.read.skip

import java.math.{BigDecimal, BigInteger}
import java.util.Arrays

import scala.util.control.NonFatal

import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types.DataType

/**
 * Converts the values of a leaf column to those of an operand. The conversion must be monotonic: a
 * greater stored value never becomes a lesser operand.
 *
 * @param physical
 *   the type of the leaf column
 * @param dataType
 *   the type of the operand
 */
private[skip] abstract class StoredValues(val physical: PrimitiveType, val dataType: DataType) {

  /**
   * Returns the operand for a stored value, which has the form that [[PlainValue]] returns; None if
   * the conversion fails or the operand is null.
   */
  protected def convert(stored: Any): Option[Any]

  /** Returns true if the conversion of a stored value never fails and never gives null. */
  def isTotal: Boolean

  /** Returns true if the stored values may include a NaN that statistics leave out. */
  def mayHideNaN: Boolean = false

  /** Returns true if the bounds in statistics are values of the column, not truncated values. */
  def isExact: Boolean

  /**
   * Returns the stored value for which the operand is `literal`, in the form that [[PlainValue]]
   * returns. At most one stored value may have this operand. None if it is not known.
   */
  def storedFor(literal: Any): Option[StoredLiteral] = None

  /**
   * Returns which values the operand can have in rows for which `range` describes the leaf column.
   */
  def values(range: LeafRange): PossibleValues =
    if (range.allNull) PossibleValues.OnlyNull
    else {
      val known = if (range.hasBounds) bounds(range) else None
      if (known.isEmpty && !isTotal) PossibleValues.Anything
      else PossibleValues.Within(hasValue = true, hasNull = !range.noNull, known)
    }

  // A conversion may cut off what shows that the stored bounds contradict each other.
  private def bounds(range: LeafRange): Option[Bounds] = for {
    least <- PlainValue.decode(physical, range.min)
    greatest <- PlainValue.decode(physical, range.max)
    if StoredValues.isOrdered(physical, least, greatest)
    min <- value(least)
    max <- value(greatest)
    top <- if (mayHideNaN && !range.exact) nan else Some(max)
    if !StoredValues.isNaN(min) || range.exact
  } yield Bounds(min, top, range.exact || isExact)

  private def nan: Option[Any] = StoredValues.nan(dataType)

  private def value(stored: Any): Option[Any] =
    try convert(stored)
    catch { case NonFatal(_) => None }
}

private[skip] object StoredValues {

  /** This is more than the longest decimal needs. */
  private final val MaxDecimalBytes = 64

  def nan(dataType: DataType): Option[Any] = {
    import org.apache.spark.sql.types.{DoubleType, FloatType}
    dataType match {
      case FloatType  => Some(Float.NaN)
      case DoubleType => Some(Double.NaN)
      case _          => None
    }
  }

  def isNaN(value: Any): Boolean = value match {
    case number: Float  => number.isNaN
    case number: Double => number.isNaN
    case _              => false
  }

  /**
   * Returns whether a stored value is at most as great as another one, in the order of the type.
   *
   * @param one
   *   a value in the form that [[PlainValue]] returns, as `other`
   */
  def isOrdered(physical: PrimitiveType, one: Any, other: Any): Boolean = (one, other) match {
    case (one: Boolean, other: Boolean) => one <= other
    case (one: Int, other: Int)         => one <= other
    case (one: Long, other: Long)       => one <= other
    // NaN is the greatest number.
    case (one: Float, other: Float)             => one <= other || other.isNaN
    case (one: Double, other: Double)           => one <= other || other.isNaN
    case (one: Array[Byte], other: Array[Byte]) =>
      physical.getLogicalTypeAnnotation match {
        case _: DecimalLogicalTypeAnnotation =>
          one.nonEmpty && other.nonEmpty && new BigInteger(one).compareTo(
            new BigInteger(other)
          ) <= 0
        case _ => Arrays.compareUnsigned(one, other) <= 0
      }
    case _ => false
  }

  /** Returns a stored decimal; None if it has more than `digits` digits. */
  def decimal(stored: Any, scale: Int, digits: Int): Option[BigDecimal] = {
    val unscaled = stored match {
      case number: Int  => Some(BigInteger.valueOf(number.toLong))
      case number: Long => Some(BigInteger.valueOf(number))
      case bytes: Array[Byte] if bytes.nonEmpty && bytes.length <= MaxDecimalBytes =>
        Some(new BigInteger(bytes))
      case _ => None
    }
    unscaled.map(new BigDecimal(_, scale)).filter(_.precision <= digits)
  }
}
