package io.github.variantshredded.predicate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Represents a predicate in the form that data skipping compares with statistics. A row for which
 * statistics show that it is false or null is not in the result.
 *
 * There is no negation: it is moved into the tests when a predicate is translated.
 */
sealed trait SkippingPredicate extends Product with Serializable

object SkippingPredicate {

  /** May be true for any row. */
  case object Unknown extends SkippingPredicate

  /** Is true for no row. */
  case object Never extends SkippingPredicate

  final case class And(left: SkippingPredicate, right: SkippingPredicate) extends SkippingPredicate

  final case class Or(left: SkippingPredicate, right: SkippingPredicate) extends SkippingPredicate

  /** Is true for rows whose operand passes the test. */
  final case class Test(operand: Operand, test: ValueTest) extends SkippingPredicate

  /**
   * Is true for rows in which at least one element of an array passes the test.
   *
   * @param operand
   *   the array
   * @param fields
   *   ordinals of the struct fields from an element to the tested value; none for the element
   *   itself
   */
  final case class AnyElement(operand: Operand, fields: Seq[Int], test: ValueTest)
      extends SkippingPredicate

  /** Returns whether the predicate is false only for nulls. */
  def looksForNulls(predicate: SkippingPredicate): Boolean = predicate match {
    case Unknown | Never  => false
    case And(left, right) => looksForNulls(left) && looksForNulls(right)
    case Or(left, right)  => looksForNulls(left) && looksForNulls(right)
    case Test(_, test)    => test == ValueTest.IsNotNull
    case _: AnyElement    => false
  }
}

/** Identifies a value that a predicate tests. */
sealed trait Operand extends Product with Serializable {
  def dataType: DataType
}

object Operand {

  /**
   * Represents an ordinary column, or a field of structs in a column.
   *
   * @param path
   *   name of the column in `Conjunct.columns`, followed by the names of the fields
   */
  final case class Column(path: Seq[String], dataType: DataType) extends Operand

  /**
   * Represents the result of an extraction.
   *
   * @param index
   *   index in `Conjunct.extractions`
   */
  final case class OfVariant(index: Int, dataType: DataType) extends Operand
}

/**
 * Describes a test of a value, or of the result of a conversion of the value.
 *
 * Literals are Catalyst values of the tested type and not null. They are ordered as Spark orders
 * them: NaN is greater than all numbers, -0.0 equals 0.0, strings are compared by bytes.
 */
sealed trait ValueTest extends Product with Serializable

object ValueTest {

  /**
   * Describes a conversion of the value before the test.
   *
   * @param expression
   *   an expression over `BoundReference(0)`, the value. Its result never decreases when the value
   *   grows, and is null only if the value is null; it may throw an error
   */
  final case class Conversion(expression: Expression) {
    def dataType: DataType = expression.dataType
  }

  /** Compares the value with a literal, as in `value < literal`. */
  final case class Compare(
      comparison: Comparison,
      literal: Any,
      conversion: Option[Conversion] = None
  ) extends ValueTest

  /**
   * Tests `value IN (literals)`.
   *
   * @param literals
   *   the distinct literals, in ascending order
   */
  final case class OneOf(literals: IndexedSeq[Any], conversion: Option[Conversion] = None)
      extends ValueTest

  /** Tests `value NOT IN (literals)` or `value <> literal`, which are not true for null. */
  final case class NoneOf(literals: IndexedSeq[Any], conversion: Option[Conversion] = None)
      extends ValueTest

  /** Tests the beginning of a string. */
  final case class StartsWith(prefix: UTF8String) extends ValueTest

  case object IsNull extends ValueTest

  case object IsNotNull extends ValueTest

  /** Tests whether a float or double is NaN. */
  case object IsNaN extends ValueTest
}

/** Compares two values by their order. */
sealed trait Comparison extends Product with Serializable {

  /** Returns the comparison that is true if this one is false, except for nulls. */
  def negated: Comparison

  /** Returns the comparison with its sides swapped. */
  def swapped: Comparison
}

object Comparison {

  case object Less extends Comparison {
    override def negated: Comparison = GreaterOrEqual
    override def swapped: Comparison = Greater
  }

  case object LessOrEqual extends Comparison {
    override def negated: Comparison = Greater
    override def swapped: Comparison = GreaterOrEqual
  }

  case object Greater extends Comparison {
    override def negated: Comparison = LessOrEqual
    override def swapped: Comparison = Less
  }

  case object GreaterOrEqual extends Comparison {
    override def negated: Comparison = Less
    override def swapped: Comparison = LessOrEqual
  }
}
