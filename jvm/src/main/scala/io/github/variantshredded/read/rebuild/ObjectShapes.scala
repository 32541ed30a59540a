package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.read.decode.ObjectVectors
import io.github.variantshredded.variant.ObjectCursor

/**
 * Caches the recent shapes of objects in rows with one metadata: up to four [[ObjectShape]]s per
 * object, and up to 1,024 [[MixedShape]]s.
 */
private[read] final class ObjectShapes {
  import ObjectShapes._

  private var shapes = new Array[ObjectShape](0)

  // The place of a shape is given by its hash. A shape replaces the one in its place if the table
  // cannot grow.
  private var mixed = new Array[MixedShape](0)

  /**
   * Returns the shape of the object with these fields in the current batch, or null if it is not
   * cached.
   */
  def find(owner: ObjectVectors, word: Long): ObjectShape = {
    val at = place(owner.nodeIndex, word)
    val known = if (at < shapes.length) shapes(at) else null
    if (known != null && known.isOf(owner, word)) known else null
  }

  def keep(shape: ObjectShape): Unit = {
    val nodeIndex = shape.owner.nodeIndex
    val end = (nodeIndex + 1) * PerObject
    if (shapes.length < end) {
      shapes = Arrays.copyOf(shapes, math.max(end, shapes.length * 2))
    }
    shapes(place(nodeIndex, shape.word)) = shape
  }

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
    while (isTaken(shape) && mixed.length < MostMixed) {
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

  private def place(nodeIndex: Int, word: Long): Int =
    nodeIndex * PerObject + ((word * Spread) >>> Shift).toInt
}

private object ObjectShapes {
  private final val PerObject = 4
  private final val Shift = 62
  private final val Spread = 0x9e3779b97f4a7c15L
  private final val FirstMixed = 16
  private final val MostMixed = 1024
}
