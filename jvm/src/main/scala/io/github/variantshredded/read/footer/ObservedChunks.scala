package io.github.variantshredded.read.footer

import io.github.variantshredded.shredding.layout.VariantLeaf

/** Records whether anything was read from the [[LeafChunks]] that it wraps. */
private[read] final class ObservedChunks(chunks: LeafChunks) extends LeafChunks {
  var isUsed: Boolean = false

  override def size(leaf: VariantLeaf): Long = {
    isUsed = true
    chunks.size(leaf)
  }

  override def isAllNull(leaf: VariantLeaf): Boolean = {
    isUsed = true
    chunks.isAllNull(leaf)
  }
}
