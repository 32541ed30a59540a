package io.github.variantshredded.variant

/** What `variant_shredded.checksum` makes of a Variant, for tests of other packages. */
object VariantHash {
  private val meaning = new VariantMeaning

  def of(value: Array[Byte], metadata: Array[Byte]): Long = meaning.hash(value, metadata)
}
