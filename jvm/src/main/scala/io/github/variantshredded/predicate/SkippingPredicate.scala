package io.github.variantshredded.predicate

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
