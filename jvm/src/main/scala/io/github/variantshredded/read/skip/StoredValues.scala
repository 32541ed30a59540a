package io.github.variantshredded.read.skip

import java.math.{BigDecimal, BigInteger}

import scala.util.control.NonFatal

import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types.DataType

/**
 * How the values of a leaf become those of an operand: never decreasing where the stored value
 * grows.
 *
 * @param dataType
 *   of the operand
 */
private[skip] abstract class StoredValues(val physical: PrimitiveType, val dataType: DataType) {

  /**
   * The operand's value for a stored one, which is as [[PlainValue]] gives it; None where that fails
   * or would be null.
   */
  protected def convert(stored: Any): Option[Any]

  /** Whether no stored value fails or becomes null. */
  def isTotal: Boolean

  /** Whether statistics may leave out a NaN among the stored values. */
  def mayHideNaN: Boolean = false

  /** Whether bounds in statistics are values, not cut off somewhere. */
  def isExact: Boolean

  /**
   * What is stored where the operand is `literal`, as PlainValue has it: at most one value. None if
   * that is not known.
   */
  def storedFor(literal: Any): Option[StoredForm] = None

  /** What the operand can be in rows of which a `range` of the leaf is known. */
  def values(range: LeafRange): Values =
    if (range.allNull) Values.OnlyNull
    else {
      val known = if (range.hasBounds) bounds(range) else None
      if (known.isEmpty && !isTotal) Values.Anything
      else Values.Within(hasValue = true, hasNull = !range.noNull, known)
    }

  private def bounds(range: LeafRange): Option[Bounds] = for {
    min <- value(range.min)
    max <- value(range.max)
    top <- if (mayHideNaN && !range.exact) nan else Some(max)
    if !StoredValues.isNaN(min) || range.exact
  } yield Bounds(min, top, range.exact || isExact)

  private def nan: Option[Any] = StoredValues.nan(dataType)

  private def value(bytes: Array[Byte]): Option[Any] =
    try PlainValue.decode(physical, bytes).flatMap(convert)
    catch { case NonFatal(_) => None }
}

/** What is stored for a value: something, or there is nothing that would become the value. */
private[skip] sealed trait StoredForm

private[skip] object StoredForm {
  case object Nothing extends StoredForm

  /** Int, Long or Array[Byte]. */
  final case class Is(stored: Any) extends StoredForm
}

private[skip] object StoredValues {

  /** More than the longest decimal has. */
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

  /** A stored decimal; None if it has more than `digits` digits. */
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
