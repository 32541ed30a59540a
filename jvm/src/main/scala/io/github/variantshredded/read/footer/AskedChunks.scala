package io.github.variantshredded.read.footer

import io.github.variantshredded.shredding.layout.VariantLeaf

/** Takes note of whether anybody has asked. */
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
