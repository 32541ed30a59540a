package io.github.variantshredded.read.rebuild

/** Tells which Variants are SQL NULL. */
private[read] trait VariantNulls {
  def isNullAt(slot: Int): Boolean
}
