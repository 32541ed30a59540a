package io.github.variantshredded.read.skip

import scala.util.control.NonFatal

import io.github.variantshredded.predicate.{Comparison, ValueTest}
import io.github.variantshredded.predicate.ValueTest._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Decides whether a test may be true for values within bounds. Statistics, pages and dictionary
 * pages all use this evaluator.
 *
 * @param dataType
 *   the type of the values before the conversion that the test applies
 */
private[skip] final class TestEvaluator(test: ValueTest, dataType: DataType) {
  import TestEvaluator._

  private val conversion = conversionOf(test)
  private val testedType = conversion.fold(dataType)(_.dataType)
  private lazy val ordering: Ordering[Any] = TypeUtils.getInterpretedOrdering(testedType)

  /**
   * Returns false only if the test is certainly not true for any value, and certainly raises no
   * error.
   */
  def mayBeTrue(values: PossibleValues): Boolean = values match {
    case PossibleValues.Anything                          => true
    case PossibleValues.Within(hasValue, hasNull, bounds) =>
      test match {
        case IsNull    => hasNull
        case IsNotNull => hasValue
        case _         => hasValue && bounds.flatMap(ordered).flatMap(converted).forall(within)
      }
  }

  /**
   * Returns true only if the test is certainly true for every value, and certainly raises no error.
   */
  def isCertain(values: PossibleValues): Boolean = values match {
    case PossibleValues.Within(_, false, bounds) =>
      test match {
        case IsNotNull                       => true
        case Compare(comparison, literal, _) =>
          bounds.flatMap(ordered).flatMap(converted).exists { within =>
            comparison match {
              case Comparison.Less           => ordering.lt(within.max, literal)
              case Comparison.LessOrEqual    => ordering.lteq(within.max, literal)
              case Comparison.Greater        => ordering.gt(within.min, literal)
              case Comparison.GreaterOrEqual => ordering.gteq(within.min, literal)
            }
          }
        case _ => false
      }
    case _ => false
  }

  /** Returns the bounds, or None if they are invalid because min is greater than max. */
  private def ordered(bounds: Bounds): Option[Bounds] = {
    val order = if (conversion.isEmpty) ordering else TypeUtils.getInterpretedOrdering(dataType)
    Option.when(order.lteq(bounds.min, bounds.max))(bounds)
  }

  private def converted(bounds: Bounds): Option[Bounds] = conversion match {
    case None             => Some(bounds)
    case Some(conversion) =>
      try {
        val min = conversion.expression.eval(row(bounds.min))
        val max = conversion.expression.eval(row(bounds.max))
        Option.when(min != null && max != null && ordering.lteq(min, max))(
          Bounds(min, max, bounds.exact)
        )
      } catch {
        // If the conversion fails for a bound, it may also fail for values between the bounds.
        case NonFatal(_) => None
      }
  }

  private def row(value: Any): InternalRow = new GenericInternalRow(Array[Any](value))

  private def within(bounds: Bounds): Boolean = test match {
    case Compare(comparison, literal, _) =>
      comparison match {
        case Comparison.Less           => ordering.lt(bounds.min, literal)
        case Comparison.LessOrEqual    => ordering.lteq(bounds.min, literal)
        case Comparison.Greater        => ordering.gt(bounds.max, literal)
        case Comparison.GreaterOrEqual => ordering.gteq(bounds.max, literal)
      }
    case OneOf(literals, _)  => anyWithin(literals, bounds)
    case NoneOf(literals, _) =>
      !bounds.exact || !ordering.equiv(bounds.min, bounds.max) || !anyWithin(literals, bounds)
    case StartsWith(prefix) =>
      (bounds.min, bounds.max) match {
        case (min: UTF8String, max: UTF8String) => mayStartWith(prefix, min, max)
        case _                                  => true
      }
    case IsNaN              => isNaN(bounds.max)
    case IsNull | IsNotNull => true
  }

  /** Returns true if any of the literals, which are in ascending order, is within the bounds. */
  private def anyWithin(literals: IndexedSeq[Any], bounds: Bounds): Boolean = {
    // The first literal that is not less than the minimum.
    var low = 0
    var high = literals.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (ordering.lt(literals(middle), bounds.min)) low = middle + 1 else high = middle
    }
    low < literals.length && ordering.lteq(literals(low), bounds.max)
  }

  private def isNaN(value: Any): Boolean = value match {
    case number: Float  => number.isNaN
    case number: Double => number.isNaN
    case _              => testedType == FloatType || testedType == DoubleType
  }
}

private[skip] object TestEvaluator {

  def conversionOf(test: ValueTest): Option[Conversion] = test match {
    case Compare(_, _, conversion) => conversion
    case OneOf(_, conversion)      => conversion
    case NoneOf(_, conversion)     => conversion
    case _                         => None
  }

  private def mayStartWith(prefix: UTF8String, min: UTF8String, max: UTF8String): Boolean = {
    val bytes = prefix.getBytes
    // Strings with the prefix are adjacent in byte order, and the prefix itself is the first of
    // them.
    def start(text: UTF8String): UTF8String =
      UTF8String.fromBytes(
        java.util.Arrays.copyOf(text.getBytes, math.min(text.numBytes, bytes.length))
      )
    start(min).binaryCompare(prefix) <= 0 && max.binaryCompare(prefix) >= 0
  }
}
