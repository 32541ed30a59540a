package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}
import io.github.variantshredded.variant.LittleEndian

/**
 * Describes a shredded object without a residual value: the fields that it has, and their ids. Many
 * rows with the same metadata share a shape.
 *
 * @param owner
 *   the object
 * @param word
 *   bitmap of the fields, as in [[io.github.variantshredded.read.decode.FieldBits.word]]
 * @param numbering
 *   the meaning of the bits in `word`, see
 *   [[io.github.variantshredded.read.decode.FieldBits.numbering]]
 * @param fields
 *   the fields, in descending order of names
 * @param ids
 *   the dictionary ids of the fields in ascending order of names, `idSize` bytes each
 */
private[read] final class ObjectShape(
    val owner: ObjectVectors,
    val word: Long,
    val numbering: Int,
    val fields: Array[PositionVectors],
    val ids: Array[Byte],
    val idSize: Int
)

private[read] object ObjectShape {

  /**
   * Creates a shape.
   *
   * @param ids
   *   dictionary ids of the fields, in the order of `fields`
   */
  def apply(
      owner: ObjectVectors,
      word: Long,
      fields: Array[PositionVectors],
      ids: Array[Int]
  ): ObjectShape = {
    val idSize = LittleEndian.width(ids.foldLeft(0)(math.max))
    val bytes = new Array[Byte](ids.length * idSize)
    var i = 0
    while (i < ids.length) {
      LittleEndian.putUnsigned(bytes, (ids.length - 1 - i) * idSize, ids(i), idSize)
      i += 1
    }
    new ObjectShape(owner, word, owner.present.numbering, fields, bytes, idSize)
  }
}

/** Caches the recent shapes of objects in rows with one metadata, up to four per object. */
private[read] final class ObjectShapes {
  import ObjectShapes._

  private var shapes = new Array[ObjectShape](0)

  /**
   * Returns the shape of the object with these fields in the current batch, or null if it is not
   * cached.
   */
  def find(owner: ObjectVectors, word: Long): ObjectShape = {
    val at = place(owner.nodeIndex, word)
    val known = if (at < shapes.length) shapes(at) else null
    if (
      known != null && known.word == word && (known.owner eq owner) &&
      known.numbering == owner.present.numbering
    ) known
    else null
  }

  def keep(shape: ObjectShape): Unit = {
    val nodeIndex = shape.owner.nodeIndex
    val end = (nodeIndex + 1) * PerObject
    if (shapes.length < end) {
      shapes = Arrays.copyOf(shapes, math.max(end, shapes.length * 2))
    }
    shapes(place(nodeIndex, shape.word)) = shape
  }

  private def place(nodeIndex: Int, word: Long): Int =
    nodeIndex * PerObject + ((word * Spread) >>> Shift).toInt
}

private object ObjectShapes {
  private final val PerObject = 4
  private final val Shift = 62
  private final val Spread = 0x9e3779b97f4a7c15L
}
