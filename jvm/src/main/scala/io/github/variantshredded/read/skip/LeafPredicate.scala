package io.github.variantshredded.read.skip

import io.github.variantshredded.predicate.ValueTest

/**
 * Represents what a predicate of the query demands of the leaf columns of one file. A row that does
 * not meet it is not in the result.
 */
private[skip] sealed trait LeafPredicate {

  def or(that: LeafPredicate): LeafPredicate = (this, that) match {
    case (LeafPredicate.Always, _) | (_, LeafPredicate.Always) => LeafPredicate.Always
    case (LeafPredicate.Never, _)                              => that
    case (_, LeafPredicate.Never)                              => this
    case _                                                     => LeafPredicate.Or(this, that)
  }

  def and(that: LeafPredicate): LeafPredicate = (this, that) match {
    case (LeafPredicate.Never, _) | (_, LeafPredicate.Never) => LeafPredicate.Never
    case (LeafPredicate.Always, _)                           => that
    case (_, LeafPredicate.Always)                           => this
    case _                                                   => LeafPredicate.And(this, that)
  }

  /** Returns all leaf tests of the predicate, in the order in which the query has them. */
  def tests: Seq[LeafTest] = this match {
    case LeafPredicate.Always | LeafPredicate.Never => Nil
    case LeafPredicate.And(left, right)             => left.tests ++ right.tests
    case LeafPredicate.Or(left, right)              => left.tests ++ right.tests
    case LeafPredicate.Of(test)                     => Seq(test)
  }
}

private[skip] object LeafPredicate {

  /** Any row may meet this predicate. */
  case object Always extends LeafPredicate

  /** No row meets this predicate. */
  case object Never extends LeafPredicate

  final case class And(left: LeafPredicate, right: LeafPredicate) extends LeafPredicate

  final case class Or(left: LeafPredicate, right: LeafPredicate) extends LeafPredicate

  /**
   * Contains a single test. Tests are compared by identity, and results about them are stored under
   * this identity.
   */
  final case class Of(test: LeafTest) extends LeafPredicate

  def anyOf(predicates: Iterable[LeafPredicate]): LeafPredicate =
    predicates.foldLeft[LeafPredicate](Never)(_ or _)

  /** Returns the predicate for an operand that has the same value in every row. */
  def ofConstant(
      test: ValueTest,
      dataType: org.apache.spark.sql.types.DataType,
      values: PossibleValues
  ): LeafPredicate =
    if (new TestEvaluator(test, dataType).mayBeTrue(values)) Always else Never
}
