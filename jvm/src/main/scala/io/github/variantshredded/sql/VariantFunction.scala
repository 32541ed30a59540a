package io.github.variantshredded.sql

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Describes one SQL function.
 *
 * @param name
 *   name in lower case, as other databases have it
 * @param arguments
 *   the arguments, as documentation shows them
 * @param summary
 *   one sentence about the result
 * @param build
 *   returns the expression of a call with resolved arguments; it is not defined for a wrong number
 *   of arguments
 */
private[variantshredded] final case class VariantFunction(
    name: String,
    arguments: String,
    summary: String,
    build: PartialFunction[Seq[Expression], Expression]
) {

  /**
   * Returns the name with the prefix, which is registered even if Spark has a function of the plain
   * name.
   */
  def longName: String =
    if (name.startsWith(VariantFunction.Prefix)) name else VariantFunction.Prefix + name
}

private[variantshredded] object VariantFunction {

  /** Prefix of long names; Spark's own begin with `variant_` (4.3 has a variant_array_append). */
  val Prefix = "vs_"
}
