package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.read.decode.ObjectVectors
import io.github.variantshredded.variant.ObjectCursor

/**
 * Caches the recent shapes of objects in rows with one metadata: up to four [[ObjectShape]]s per
 * object, and up to 1,024 [[MixedShape]]s.
 */
private[read] final class ObjectShapes {
  import ObjectShapes._

  private val shapes = new FieldsTable[ObjectShape](bits = 2)

  // The index of a shape is given by its hash. A shape replaces the one at its index if the table
  // cannot grow.
  private var mixed = new Array[MixedShape](0)

  /**
   * Returns the shape of the object with these fields in the current batch, or null if it is not
   * cached.
   */
  def find(owner: ObjectVectors, word: Long): ObjectShape = shapes.find(owner, word)

  def keep(shape: ObjectShape): Unit = shapes.keep(shape)

  /** Does what [[find]] does, for an object with the residual value in `residual`. */
  def find(owner: ObjectVectors, word: Long, residual: ObjectCursor): MixedShape =
    if (mixed.length == 0) null
    else {
      val known = mixed(MixedShape.hash(owner, word, residual) & (mixed.length - 1))
      val isSame = known != null && known.shredded.isOf(owner, word) &&
        residual.hasIds(known.residual.bytes, known.residual.size)
      if (isSame) known else null
    }

  def keep(shape: MixedShape): Unit = {
    if (mixed.length == 0) mixed = new Array[MixedShape](FirstMixed)
    while (isTaken(shape) && mixed.length < MaxMixed) {
      val before = mixed
      mixed = new Array[MixedShape](before.length * 2)
      before.foreach(known => if (known != null) put(known))
    }
    put(shape)
  }

  private def isTaken(shape: MixedShape): Boolean = {
    val known = mixed(shape.hash & (mixed.length - 1))
    // A shape with the same hash would be in the way in a larger table too.
    known != null && known.hash != shape.hash
  }

  private def put(shape: MixedShape): Unit = mixed(shape.hash & (mixed.length - 1)) = shape
}

private object ObjectShapes {
  private final val FirstMixed = 16
  private final val MaxMixed = 1024
}
