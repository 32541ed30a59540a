package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.{
  ListVectors,
  ObjectVectors,
  OneOfVectors,
  PositionVectors,
  PrimitiveVectors,
  TypedVectors
}
import io.github.variantshredded.read.options.VariantContext
import io.github.variantshredded.read.rebuild.{
  MetadataPlan,
  RowMetadata,
  VariantNulls,
  VariantRebuilder
}
import org.apache.spark.types.variant.Variant

/**
 * Rebuilds the sub-Variants of one position.
 *
 * @param missingIsNull
 *   whether a Variant null is there where nothing is: at the root of a Variant that is not SQL NULL,
 *   and for elements of arrays
 */
private[read] final class PositionReader(
    val position: PositionVectors,
    metadata: RowMetadata,
    val rows: SlotRows,
    missingIsNull: Option[VariantNulls],
    context: VariantContext
) {
  private val rebuilder =
    new VariantRebuilder(position, metadata.own, context)

  /** Whether there is anything in a slot, a Variant null too. */
  def isPresent(slot: Int): Boolean = missingIsNull match {
    case Some(nulls) => !nulls.isNullAt(slot)
    case None        => hasValue(slot) || hasTypedValue(slot)
  }

  def hasValue(slot: Int): Boolean = position.value != null && !position.value.isNullAt(slot)

  def hasTypedValue(slot: Int): Boolean = isPresent(position.typed, slot)

  private def isPresent(typed: TypedVectors, slot: Int): Boolean = typed match {
    case primitive: PrimitiveVectors => primitive.live && !primitive.vector.isNullAt(slot)
    case list: ListVectors           => !list.list.isNullAt(slot)
    case obj: ObjectVectors          => obj.isPresent(slot)
    case several: OneOfVectors       => several.branches.exists(isPresent(_, slot))
    case null                        => false
  }

  def plan(slot: Int): MetadataPlan = metadata.plan(position, slot, rows.row(slot))

  /** Value of the sub-Variant of a slot where one is present. */
  def value(slot: Int): Array[Byte] = rebuilder.rebuild(plan(slot), slot)

  /** The sub-Variant of a slot where one is present. */
  def variant(slot: Int): Variant = new Variant(value(slot), plan(slot).bytes)
}
