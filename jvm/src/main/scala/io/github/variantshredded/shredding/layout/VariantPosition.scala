package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.ShreddingSchema

/**
 * One position in a shredded Variant: the root, a field of an object or the element of an array
 * (VariantShredding, "Value Shredding").
 *
 * @param path
 *   the position in the value, as errors show it: `$.items[*].price`
 * @param value
 *   the untyped column; None where the file has none
 * @param typedValue
 *   the typed column or group; None where the file has none
 * @param layout
 *   that of the whole Variant
 */
final class VariantPosition(
    val path: String,
    val parquetPath: Seq[String],
    val levels: Levels,
    val required: Boolean,
    val value: Option[VariantLeaf],
    val typedValue: Option[TypedValue],
    val layout: Layout
) {

  /** Whether there is no leaf here or below. */
  def isEmpty: Boolean = value.isEmpty && typedValue.isEmpty

  /** The position with some of its columns only. */
  def only(someValue: Option[VariantLeaf], someTypedValue: Option[TypedValue]): VariantPosition =
    new VariantPosition(
      path,
      parquetPath,
      levels,
      required,
      someValue,
      someTypedValue,
      layout
    )

  /** How the position is shredded, without the place of its columns. */
  def schema: ShreddingSchema =
    typedValue.fold[ShreddingSchema](ShreddingSchema.Unshredded)(_.schema)

  /** All leaves here and below. */
  def leaves: Seq[VariantLeaf] = value.toSeq ++ typedValue.toSeq.flatMap(_.leaves)

  /** The untyped columns here and below. */
  def residuals: Seq[VariantLeaf] = value.toSeq ++ typedValue.toSeq.flatMap(_.residuals)
}
