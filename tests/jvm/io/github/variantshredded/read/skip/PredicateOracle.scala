package io.github.variantshredded.read.skip

import scala.util.control.NonFatal

import io.github.variantshredded.predicate.{Comparison, SkippingPredicate, ValueTest}
import io.github.variantshredded.predicate.SkippingPredicate._
import io.github.variantshredded.predicate.ValueTest._
import org.apache.spark.sql.catalyst.{expressions => catalyst}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

/** What Spark's own expressions say of a predicate, row by row. */
object PredicateOracle {

  sealed trait Outcome
  case object True extends Outcome
  case object NotTrue extends Outcome
  case object Raises extends Outcome

  /**
   * @param operand
   *   an operand's value in the row, as Catalyst has it, or why it raises
   */
  def outcome(
      predicate: SkippingPredicate,
      operand: io.github.variantshredded.predicate.Operand => Either[Throwable, Any]
  ): Outcome = predicate match {
    case Unknown          => True
    case Never            => NotTrue
    case And(left, right) =>
      (outcome(left, operand), outcome(right, operand)) match {
        // Another conjunct may drop a row before this one raises.
        case (NotTrue, _) | (_, NotTrue) => NotTrue
        case (True, True)                => True
        case _                           => Raises
      }
    case Or(left, right) =>
      (outcome(left, operand), outcome(right, operand)) match {
        case (True, _) | (_, True)     => True
        case (Raises, _) | (_, Raises) => Raises
        case _                         => NotTrue
      }
    case Test(of, test)               => operand(of).fold(_ => Raises, passes(_, of.dataType, test))
    case AnyElement(of, fields, test) =>
      val elementType = of.dataType.asInstanceOf[ArrayType].elementType
      operand(of) match {
        case Left(_)                 => Raises
        case Right(null)             => NotTrue
        case Right(array: ArrayData) =>
          val outcomes = (0 until array.numElements()).map { i =>
            val element = if (array.isNullAt(i)) null else array.get(i, elementType)
            val (value, dataType) = field(element, elementType, fields.toList)
            passes(value, dataType, test)
          }
          if (outcomes.contains(Raises)) Raises
          else if (outcomes.contains(True)) True
          else NotTrue
        case Right(other) => throw new IllegalArgumentException(s"$other")
      }
  }

  private def field(value: Any, dataType: DataType, fields: List[Int]): (Any, DataType) =
    (dataType, fields) match {
      case (struct: StructType, ordinal :: rest) =>
        val row = value.asInstanceOf[InternalRow]
        val below =
          if (row == null || row.isNullAt(ordinal)) null
          else row.get(ordinal, struct(ordinal).dataType)
        field(below, struct(ordinal).dataType, rest)
      case _ => (value, dataType)
    }

  def passes(value: Any, dataType: DataType, test: ValueTest): Outcome = {
    val reference = BoundReference(0, dataType, nullable = true)
    def tested(conversion: Option[Conversion]): Expression =
      conversion.fold[Expression](reference)(_.expression)
    def literals(values: Seq[Any], of: Expression) = values.map(Literal(_, of.dataType))
    val expression = test match {
      case Compare(comparison, literal, conversion) =>
        val left = tested(conversion)
        val right = Literal(literal, left.dataType)
        comparison match {
          case Comparison.Less           => catalyst.LessThan(left, right)
          case Comparison.LessOrEqual    => catalyst.LessThanOrEqual(left, right)
          case Comparison.Greater        => catalyst.GreaterThan(left, right)
          case Comparison.GreaterOrEqual => catalyst.GreaterThanOrEqual(left, right)
        }
      case OneOf(values, conversion) =>
        val left = tested(conversion)
        if (values.size == 1) catalyst.EqualTo(left, Literal(values.head, left.dataType))
        else catalyst.In(left, literals(values, left))
      case NoneOf(values, conversion) =>
        val left = tested(conversion)
        catalyst.Not(catalyst.In(left, literals(values, left)))
      case StartsWith(prefix)  => catalyst.StartsWith(reference, Literal(prefix, StringType))
      case ValueTest.IsNull    => catalyst.IsNull(reference)
      case ValueTest.IsNotNull =>
        catalyst.IsNotNull(reference)
      case ValueTest.IsNaN => catalyst.IsNaN(reference)
    }
    try
      expression.eval(new catalyst.GenericInternalRow(Array[Any](value))) match {
        case true => True
        case _    => NotTrue
      }
    catch { case NonFatal(_) => Raises }
  }
}
