package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.PositionVectors

/** Looks for residual values beside the columns of arrays and structs. */
private[read] object NestedColumns {

  /** Returns true if any slot of the batch has a residual value. */
  def hasResidual(position: PositionVectors, slots: Int): Boolean = {
    val value = position.value
    var slot = 0
    while (value != null && slot < slots && value.isNullAt(slot)) slot += 1
    value != null && slot < slots
  }
}
