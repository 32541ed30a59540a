package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}

/**
 * Identifies a Variant in the input of an operator: a column, or a field of structs in a column.
 *
 * @param attribute
 *   the column
 * @param fields
 *   names of the fields from the column to the Variant; none if the column is the Variant
 */
private[variantshredded] final case class PlanVariant(attribute: ExprId, fields: Seq[String])
