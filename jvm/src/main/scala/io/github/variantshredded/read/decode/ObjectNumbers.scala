package io.github.variantshredded.read.decode

import io.github.variantshredded.shredding.layout.TypedValue

/** Numbers the shredded objects of one Variant, and brings their fields into the order of the names. */
private[read] final class ObjectNumbers {
  private var count = 0

  def vectors(
      obj: TypedValue.ObjectGroup,
      fields: Vector[PositionVectors],
      presence: Presence
  ): ObjectVectors = {
    val order = obj.byName
    val index = count
    count += 1
    new ObjectVectors(
      order.indexes.map(fields),
      order.names,
      order.indexes.map(obj.ordinal + _),
      index,
      presence
    )
  }
}
