package io.github.variantshredded.optimizer

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/**
 * Answers a [[Request]] by the expression that replaces the extraction.
 *
 * @param value
 *   an expression over columns that the operator below delivers in addition
 */
private[variantshredded] final case class Grant(value: Expression) {

  /** Returns the columns that the expression uses. */
  def columns: Seq[Attribute] = value.collect { case column: Attribute => column }.distinct
}
