package io.github.variantshredded.optimizer

import io.github.variantshredded.extraction.PlanExtraction
import org.apache.spark.sql.catalyst.expressions.ExprId

/** Describes what an operator requests from the operators below it. */
private[variantshredded] sealed trait Request {

  /** Returns the column of the operators below to which the request refers. */
  def attribute: ExprId
}

private[variantshredded] object Request {

  /** Requests a column with the result of an extraction. */
  final case class Extract(extraction: PlanExtraction) extends Request {
    override def attribute: ExprId = extraction.variant.attribute
  }

  /**
   * Requests to evaluate an extraction further up that was evaluated for the column `attribute`.
   * Spark 4.3 moves extractions out of operators into Projects below, where a strict cast would
   * throw an error for rows that the operator leaves out.
   */
  final case class Postpone(attribute: ExprId) extends Request
}
