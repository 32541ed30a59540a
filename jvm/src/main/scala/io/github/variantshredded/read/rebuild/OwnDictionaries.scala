package io.github.variantshredded.read.rebuild

import io.github.variantshredded.read.decode.BinarySlice
import io.github.variantshredded.variant.MetadataDictionary

/** Dictionaries of untyped values that begin with their own ("Parquet Layout"). */
private[read] final class OwnDictionaries(strict: Boolean) {
  private val plans = new MetadataPlans(Array.empty, strict)

  /**
   * Takes the metadata off the value that it stands before.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT`
   */
  def takeOff(value: BinarySlice): MetadataPlan = {
    val length = MetadataDictionary.lengthAt(value.bytes, value.start, value.end)
    val plan = plans.plan(value.bytes, value.start, value.start + length)
    value.start += length
    plan
  }
}
