package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}
import io.github.variantshredded.variant.LittleEndian

/**
 * Which fields a shredded object without a residual has, under one metadata: what many rows share.
 *
 * @param owner
 *   the object
 * @param word
 *   the fields as in [[FieldBits.word]]
 * @param numbering
 *   what the bits of `word` stand for, see [[FieldBits.numbering]]
 * @param fields
 *   the fields, the one with the largest name first
 * @param ids
 *   the fields' dictionary ids in ascending order of names, in `idSize` bytes each
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
   * @param ids
   *   of the fields, in their order
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

/** The shapes of objects met lately under one metadata, some of each object. */
private[read] final class ObjectShapes {
  import ObjectShapes._

  private var shapes = new Array[ObjectShape](0)

  /** The shape of the object with these fields in the current batch, or null. */
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
