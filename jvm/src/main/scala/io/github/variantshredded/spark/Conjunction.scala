package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.expressions.{And, Expression}

/** Splits predicates at their `AND`s. */
private[variantshredded] object Conjunction {

  /**
   * Returns the predicates that a conjunction consists of. Spark's `PredicateHelper` returns them
   * too. But a class that inherits from it, with the traits above it, is bound to one version of
   * Spark.
   */
  def split(predicate: Expression): Seq[Expression] = predicate match {
    case And(left, right) => split(left) ++ split(right)
    case other            => Seq(other)
  }
}
