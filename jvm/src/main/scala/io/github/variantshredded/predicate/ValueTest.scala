package io.github.variantshredded.predicate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

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
