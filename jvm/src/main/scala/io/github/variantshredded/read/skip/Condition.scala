package io.github.variantshredded.read.skip

import io.github.variantshredded.predicate.ValueTest

/**
 * Represents a predicate that is resolved for the columns of one file. A row that does not meet it
 * is not in the result.
 */
private[skip] sealed trait Condition {

  def or(that: Condition): Condition = (this, that) match {
    case (Condition.Always, _) | (_, Condition.Always) => Condition.Always
    case (Condition.Never, _)                          => that
    case (_, Condition.Never)                          => this
    case _                                             => Condition.Or(this, that)
  }

  def and(that: Condition): Condition = (this, that) match {
    case (Condition.Never, _) | (_, Condition.Never) => Condition.Never
    case (Condition.Always, _)                       => that
    case (_, Condition.Always)                       => this
    case _                                           => Condition.And(this, that)
  }

  /** Returns all leaf tests of the condition, in the order of the predicate. */
  def tests: Seq[LeafTest] = this match {
    case Condition.Always | Condition.Never => Nil
    case Condition.And(left, right)         => left.tests ++ right.tests
    case Condition.Or(left, right)          => left.tests ++ right.tests
    case Condition.Of(test)                 => Seq(test)
  }
}

private[skip] object Condition {

  /** Any row may meet this condition. */
  case object Always extends Condition

  /** No row meets this condition. */
  case object Never extends Condition

  final case class And(left: Condition, right: Condition) extends Condition

  final case class Or(left: Condition, right: Condition) extends Condition

  /**
   * Contains a single test. Tests are compared by identity, and results about them are stored under
   * this identity.
   */
  final case class Of(test: LeafTest) extends Condition

  def anyOf(conditions: Iterable[Condition]): Condition =
    conditions.foldLeft[Condition](Never)(_ or _)

  /** Returns the condition for an operand that has the same value in every row. */
  def ofConstant(
      test: ValueTest,
      dataType: org.apache.spark.sql.types.DataType,
      values: Values
  ): Condition =
    if (new TestEvaluator(test, dataType).mayBeTrue(values)) Always else Never
}
