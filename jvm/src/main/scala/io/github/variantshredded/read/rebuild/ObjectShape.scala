package io.github.variantshredded.read.rebuild

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
    val idSize = sizeOf(ids)
    new ObjectShape(owner, word, owner.present.numbering, fields, reversed(ids, idSize), idSize)
  }

  /** Returns how many bytes each of the ids takes. */
  def sizeOf(ids: Array[Int]): Int = {
    var greatest = 0
    var i = 0
    while (i < ids.length) {
      greatest = math.max(greatest, ids(i))
      i += 1
    }
    LittleEndian.width(greatest)
  }

  /** Returns the ids in reverse order, `idSize` bytes each. */
  def reversed(ids: Array[Int], idSize: Int): Array[Byte] = {
    val bytes = new Array[Byte](ids.length * idSize)
    var i = 0
    while (i < ids.length) {
      LittleEndian.putUnsigned(bytes, (ids.length - 1 - i) * idSize, ids(i), idSize)
      i += 1
    }
    bytes
  }
}
