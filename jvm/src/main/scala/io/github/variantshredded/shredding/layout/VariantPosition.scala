package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.ShreddingSchema

/**
 * Describes one position in a shredded Variant: the root, a field of an object or the element of an
 * array (VariantShredding, "Value Shredding").
 *
 * @param path
 *   path in the Variant, as errors show it: `$.items[*].price`
 * @param value
 *   the residual column; None if the file has none
 * @param typedValue
 *   the typed column or group; None if the file has none
 * @param layout
 *   layout of the whole Variant
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

  /** Returns whether there is no leaf column at or below this position. */
  def isEmpty: Boolean = value.isEmpty && typedValue.isEmpty

  /** Returns this position with only some of its columns. */
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

  /** Returns the shredding schema of this position, without the paths of its columns. */
  def schema: ShreddingSchema =
    typedValue.fold[ShreddingSchema](ShreddingSchema.Unshredded)(_.schema)

  /**
   * Returns whether a field or an element below this position has an optional group, which the
   * specification forbids because such a group may be null.
   */
  def hasOptionalGroup: Boolean = typedValue.exists { typed =>
    typed.branches.exists {
      case obj: TypedValue.ObjectGroup => obj.fields.exists(_.mayBeNull)
      case list: TypedValue.ListGroup  => list.element.mayBeNull
      case _                           => false
    }
  }

  private def mayBeNull: Boolean = !required || hasOptionalGroup

  /** Returns all leaf columns at and below this position. */
  def leaves: Seq[VariantLeaf] = value.toSeq ++ typedValue.toSeq.flatMap(_.leaves)

  /** Returns the residual columns at and below this position. */
  def residuals: Seq[VariantLeaf] = value.toSeq ++ typedValue.toSeq.flatMap(_.residuals)
}
