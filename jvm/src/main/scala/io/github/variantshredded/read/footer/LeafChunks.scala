package io.github.variantshredded.read.footer

import io.github.variantshredded.shredding.layout.VariantLeaf

/** What the footer says of leaves, over the row groups that are read. */
private[read] trait LeafChunks {

  /** Compressed bytes. */
  def size(leaf: VariantLeaf): Long

  /** Whether every value is null. */
  def isAllNull(leaf: VariantLeaf): Boolean
}
