package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}

/**
 * A Variant that an operator sees: a column, or a field of structs in one.
 *
 * @param attribute
 *   the column
 * @param fields
 *   names of the fields that lead from the column to the Variant; none where it is the column
 */
private[variantshredded] final case class VariantPlace(attribute: ExprId, fields: Seq[String])
