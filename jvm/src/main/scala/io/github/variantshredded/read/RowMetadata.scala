package io.github.variantshredded.read

import io.github.variantshredded.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.variant.MetadataDictionary

/**
 * The dictionary of each row's Variant. Where `metadata` was not fetched, because no value there has
 * a name in it, it is the empty one.
 */
private[read] final class RowMetadata(
    leaf: FlatLeaf,
    names: Array[Array[Byte]],
    context: VariantContext
) {
  private val plans = new MetadataPlans(names, context.strict)
  private val empty = {
    val bytes = Array[Byte](1, 0, 0)
    val dictionary = MetadataDictionary.parse(bytes, 0, bytes.length, context.strict)
    new MetadataPlan(bytes, dictionary, names, true)
  }

  def startRowGroup(): Unit = plans.startRowGroup()

  def plan(slot: Int): MetadataPlan =
    if (leaf.isSkipped) empty
    else if (leaf.values.isNullAt(slot)) {
      throw VariantShreddedErrors.malformedVariant(
        "'metadata' is null where the Variant is not.",
        ErrorLocation(path = Some("$"))
      )
    } else {
      plans.plan(leaf.values, slot)
    }
}
