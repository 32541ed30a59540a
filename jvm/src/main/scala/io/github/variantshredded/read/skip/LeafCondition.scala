package io.github.variantshredded.read.skip

import io.github.variantshredded.predicate.ValueTest

/**
 * Represents a condition on the leaf columns of one file, to which a predicate is translated. A row
 * that does not meet it is not in the result.
 */
private[skip] sealed trait LeafCondition {

  def or(that: LeafCondition): LeafCondition = (this, that) match {
    case (LeafCondition.Always, _) | (_, LeafCondition.Always) => LeafCondition.Always
    case (LeafCondition.Never, _)                              => that
    case (_, LeafCondition.Never)                              => this
    case _                                                     => LeafCondition.Or(this, that)
  }

  def and(that: LeafCondition): LeafCondition = (this, that) match {
    case (LeafCondition.Never, _) | (_, LeafCondition.Never) => LeafCondition.Never
    case (LeafCondition.Always, _)                           => that
    case (_, LeafCondition.Always)                           => this
    case _                                                   => LeafCondition.And(this, that)
  }

  /** Returns all leaf tests of the condition, in the order of the predicate. */
  def tests: Seq[LeafTest] = this match {
    case LeafCondition.Always | LeafCondition.Never => Nil
    case LeafCondition.And(left, right)             => left.tests ++ right.tests
    case LeafCondition.Or(left, right)              => left.tests ++ right.tests
    case LeafCondition.Of(test)                     => Seq(test)
  }
}

private[skip] object LeafCondition {

  /** Any row may meet this condition. */
  case object Always extends LeafCondition

  /** No row meets this condition. */
  case object Never extends LeafCondition

  final case class And(left: LeafCondition, right: LeafCondition) extends LeafCondition

  final case class Or(left: LeafCondition, right: LeafCondition) extends LeafCondition

  /**
   * Contains a single test. Tests are compared by identity, and results about them are stored under
   * this identity.
   */
  final case class Of(test: LeafTest) extends LeafCondition

  def anyOf(conditions: Iterable[LeafCondition]): LeafCondition =
    conditions.foldLeft[LeafCondition](Never)(_ or _)

  /** Returns the condition for an operand that has the same value in every row. */
  def ofConstant(
      test: ValueTest,
      dataType: org.apache.spark.sql.types.DataType,
      values: PossibleValues
  ): LeafCondition =
    if (new TestEvaluator(test, dataType).mayBeTrue(values)) Always else Never
}
