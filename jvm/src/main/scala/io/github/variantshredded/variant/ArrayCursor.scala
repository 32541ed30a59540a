package io.github.variantshredded.variant

import io.github.variantshredded.variant.VariantConstants._

/** Walks through the elements of an array. */
final class ArrayCursor extends ContainerCursor {

  /** Moves this cursor to the array at `pos`, which must end at or before `limit`. */
  def reset(bytes: Array[Byte], pos: Int, limit: Int): ArrayCursor = {
    loadChecked(bytes, pos, limit, BasicArray, "array")
    this
  }

  def numElements: Int = count

  /** Returns the position of element `i`, which lies before [[end]]. */
  def elementPos(i: Int): Int = childPos(i)
}
