package io.github.variantshredded.read.footer

import io.github.variantshredded.shredding.layout.VariantLeaf

/** Records whether anything was read from the [[LeafChunks]] that it wraps. */
private[read] final class AskedChunks(chunks: LeafChunks) extends LeafChunks {
  var isAsked: Boolean = false

  override def size(leaf: VariantLeaf): Long = {
    isAsked = true
    chunks.size(leaf)
  }

  override def isAllNull(leaf: VariantLeaf): Boolean = {
    isAsked = true
    chunks.isAllNull(leaf)
  }
}
