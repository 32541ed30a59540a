package io.github.variantshredded.predicate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/**
 * What statistics can tell of a condition: a row where this is certainly not true, is not in the
 * result.
 *
 * There is no negation: it is pushed down to the tests when a condition is translated.
 */
sealed trait RowPredicate extends Product with Serializable

object RowPredicate {

  /** May be true of any row. */
  case object Unknown extends RowPredicate

  /** True of no row. */
  case object Never extends RowPredicate

  final case class And(left: RowPredicate, right: RowPredicate) extends RowPredicate

  final case class Or(left: RowPredicate, right: RowPredicate) extends RowPredicate

  /** True of rows whose operand passes the test. */
  final case class Test(operand: Operand, test: ValueTest) extends RowPredicate

  /**
   * True of rows in which an element of an array passes the test.
   *
   * @param operand
   *   of ArrayType
   * @param fields
   *   ordinals of the struct fields that lead from an element to what is tested; none for the
   *   element itself
   */
  final case class AnyElement(operand: Operand, fields: Seq[Int], test: ValueTest)
      extends RowPredicate

  /** Whether it is false of nothing but nulls. */
  def looksForNulls(predicate: RowPredicate): Boolean = predicate match {
    case Unknown | Never  => false
    case And(left, right) => looksForNulls(left) && looksForNulls(right)
    case Or(left, right)  => looksForNulls(left) && looksForNulls(right)
    case Test(_, test)    => test == ValueTest.IsNotNull
    case _: AnyElement    => false
  }
}

/** What a predicate looks at. */
sealed trait Operand extends Product with Serializable {
  def dataType: DataType
}

object Operand {

  /**
   * An ordinary column, or a field of structs in one.
   *
   * @param path
   *   name of the column in `Conjunct.columns`, and of the fields
   */
  final case class Column(path: Seq[String], dataType: DataType) extends Operand

  /**
   * A value out of a Variant.
   *
   * @param index
   *   place in `Conjunct.extractions`
   */
  final case class OfVariant(index: Int, dataType: DataType) extends Operand
}

/**
 * A test of a value, or of what a conversion makes of it.
 *
 * Literals are values as Catalyst has them, not null, of the type of what is tested, and are ordered
 * as Spark orders them: NaN above all numbers, -0.0 as 0.0, strings by their bytes.
 */
sealed trait ValueTest extends Product with Serializable

object ValueTest {

  /**
   * What is tested in place of the value.
   *
   * @param expression
   *   over `BoundReference(0)`, the value: never decreasing where the value grows, null for a null
   *   only; may raise
   */
  final case class Conversion(expression: Expression) {
    def dataType: DataType = expression.dataType
  }

  /** `value < literal` and the like. */
  final case class Compare(
      comparison: Comparison,
      literal: Any,
      conversion: Option[Conversion] = None
  ) extends ValueTest

  /**
   * `value IN (literals)`.
   *
   * @param literals
   *   ordered, each once
   */
  final case class OneOf(literals: IndexedSeq[Any], conversion: Option[Conversion] = None)
      extends ValueTest

  /** `value NOT IN (literals)`, `value <> literal`: not true for null. */
  final case class NoneOf(literals: IndexedSeq[Any], conversion: Option[Conversion] = None)
      extends ValueTest

  /** Of a string. */
  final case class StartsWith(prefix: UTF8String) extends ValueTest

  case object IsNull extends ValueTest

  case object IsNotNull extends ValueTest

  /** Of a float or double. */
  case object IsNaN extends ValueTest
}

sealed trait Comparison extends Product with Serializable {

  /** True where this is false, but for nulls. */
  def negated: Comparison

  /** The same with its sides swapped. */
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
