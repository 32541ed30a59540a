package io.github.variantshredded.read.footer

import io.github.variantshredded.shredding.layout.VariantLeaf

/** Gives what the footer says about leaf columns, summed up over the row groups that are read. */
private[read] trait LeafChunks {

  /** Returns the compressed bytes of a leaf column. */
  def size(leaf: VariantLeaf): Long

  /** Returns true if all values of a leaf column are null. */
  def isAllNull(leaf: VariantLeaf): Boolean
}
