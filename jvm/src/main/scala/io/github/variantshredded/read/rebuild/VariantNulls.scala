package io.github.variantshredded.read.rebuild

/** Says which Variants are SQL NULL. */
private[read] trait VariantNulls {
  def isNullAt(slot: Int): Boolean
}
