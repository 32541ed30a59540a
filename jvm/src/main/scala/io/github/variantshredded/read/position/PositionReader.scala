package io.github.variantshredded.read.position

import io.github.variantshredded.read.decode.{
  ListVectors,
  ObjectVectors,
  OneOfVectors,
  PositionVectors,
  PrimitiveVectors,
  TypedVectors
}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.{Rebuilder, VariantMetadata, VariantNulls}
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import org.apache.spark.types.variant.Variant

/**
 * Rebuilds the Variant values of one position.
 *
 * @param missingIsNull
 *   set for the root and for elements of arrays, where a missing value is a Variant null: says
 *   which slots are SQL NULL instead
 */
private[read] final class PositionReader(
    val position: PositionVectors,
    metadata: VariantMetadata,
    val rows: SlotRows,
    missingIsNull: Option[VariantNulls],
    context: FileContext
) {
  private val rebuilder = Rebuilder.of(position, metadata.own, context)

  /** Returns true if a slot has a value, which may be a Variant null. */
  def isPresent(slot: Int): Boolean = missingIsNull match {
    case Some(nulls) => !nulls.isNullAt(slot)
    case None        => hasValue(slot) || hasTypedValue(slot)
  }

  def hasValue(slot: Int): Boolean = position.value != null && !position.value.isNullAt(slot)

  def hasTypedValue(slot: Int): Boolean = isPresent(position.typed, slot)

  private def isPresent(typed: TypedVectors, slot: Int): Boolean = typed match {
    case primitive: PrimitiveVectors => primitive.mayHaveValues && !primitive.vector.isNullAt(slot)
    case list: ListVectors           => !list.list.isNullAt(slot)
    case obj: ObjectVectors          => obj.isPresent(slot)
    case several: OneOfVectors       => several.branches.exists(isPresent(_, slot))
    case null                        => false
  }

  def plan(slot: Int): MetadataPlan = metadata.plan(position, slot, rows.row(slot))

  /** Returns the binary value of a slot in which a value is present. */
  def value(slot: Int): Array[Byte] = rebuilder.rebuild(plan(slot), slot)

  /** Returns the metadata that belong to the value of a slot. */
  def metadataOf(slot: Int): Array[Byte] = rebuilder.metadata(plan(slot), slot)

  /** Returns the Variant of a slot in which a value is present. */
  def variant(slot: Int): Variant = new Variant(value(slot), metadataOf(slot))
}
