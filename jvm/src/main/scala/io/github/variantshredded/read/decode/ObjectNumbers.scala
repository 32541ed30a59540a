package io.github.variantshredded.read.decode

import java.nio.charset.StandardCharsets.UTF_8

import io.github.variantshredded.shredding.layout.TypedValue

/** Numbers the shredded objects of one Variant, and sorts their fields by name. */
private[read] final class ObjectNumbers {
  private var count = 0

  def vectors(
      obj: TypedValue.ObjectGroup,
      fields: Vector[PositionVectors],
      presence: Presence
  ): ObjectVectors = {
    val order = obj.names.indices.sortBy(obj.names)
    val index = count
    count += 1
    new ObjectVectors(
      order.map(fields).toArray,
      order.map(i => obj.names(i).getBytes(UTF_8)).toArray,
      order.map(obj.ordinal + _).toArray,
      index,
      presence
    )
  }
}
