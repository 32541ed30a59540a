package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.variant.MetadataDictionary

/**
 * Reads the metadata dictionaries of residual values in the layout `overview` ("Parquet Layout"),
 * in which each residual value is preceded by its own metadata.
 */
private[read] final class OwnDictionaries(strict: Boolean) {
  private val plans = new MetadataPlans(Array.empty, strict)

  /**
   * Reads the metadata before a value, and moves the start of `value` past it.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if the metadata is invalid
   */
  def takeOff(value: BinarySlice): MetadataPlan = {
    val length = MetadataDictionary.lengthAt(value.bytes, value.start, value.end)
    val plan = plans.plan(value.bytes, value.start, value.start + length)
    value.start += length
    plan
  }
}
