package io.github.variantshredded.optimizer

import io.github.variantshredded.extraction.Extraction
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, ExprId}

/** What an operator asks of the operators below it. */
private[variantshredded] sealed trait Request {

  /** The column, of those below, that it is about. */
  def attribute: ExprId
}

private[variantshredded] object Request {

  /** A column for an extraction. */
  final case class Extract(extraction: Extraction) extends Request {
    override def attribute: ExprId = extraction.place.attribute
  }

  /**
   * The extraction that was evaluated for the column `attribute`, to be evaluated further up. Spark
   * 4.3 pulls extractions out of operators into Projects below, where a strict cast would raise for
   * rows that the operator leaves out.
   */
  final case class Postpone(attribute: ExprId) extends Request
}

/**
 * The answer to a [[Request]]: what stands for the extraction.
 *
 * @param value
 *   over columns that the operator below delivers in addition
 */
private[variantshredded] final case class Grant(value: Expression) {

  /** The columns needed. */
  def columns: Seq[Attribute] = value.collect { case column: Attribute => column }.distinct
}
