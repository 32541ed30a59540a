package io.github.variantshredded.read.extract

import org.apache.spark.types.variant.{Variant, VariantBuilder, VariantUtil}

/**
 * Gives a part of a Variant the bytes that Spark's reader gives it: with the names that it has, and
 * a number of a `typed_value` in as few bytes as Spark's writer needs for it.
 */
private[read] object SparkForm {

  /** Returns a value that was stored as a Variant. */
  def ofResidual(value: Variant): Variant = built(_.appendVariant(value))

  /**
   * Returns a value that was rebuilt from a `typed_value`. An object or array may have other bytes
   * than Spark's, because its fields come in another order.
   */
  def ofTyped(value: Variant): Variant = value.getType match {
    case VariantUtil.Type.OBJECT | VariantUtil.Type.ARRAY => value
    case VariantUtil.Type.LONG                            => built(_.appendLong(value.getLong))
    case VariantUtil.Type.DECIMAL => built(_.appendDecimal(value.getDecimal))
    case _                        => ofResidual(value)
  }

  private def built(append: VariantBuilder => Unit): Variant = {
    val builder = new VariantBuilder(false)
    append(builder)
    builder.result()
  }
}
