package io.github.variantshredded.sql

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * One SQL function.
 *
 * @param name
 *   as in the documents of other databases, in lower case
 * @param arguments
 *   what it takes, to be shown
 * @param summary
 *   what it gives, in one sentence
 * @param build
 *   makes the expression of a call, whose arguments are resolved; a number of arguments that it
 *   does not know is not defined
 */
private[variantshredded] final case class VariantFunction(
    name: String,
    arguments: String,
    summary: String,
    build: PartialFunction[Seq[Expression], Expression]
) {

  /** The name that is registered beside a function of Spark with the plain name. */
  def longName: String =
    if (name.startsWith(VariantFunction.Prefix)) name else VariantFunction.Prefix + name
}

private[variantshredded] object VariantFunction {

  /** Of long names; not `variant_`, with which Spark's own begin (4.3 has a variant_array_append). */
  val Prefix = "vs_"
}
