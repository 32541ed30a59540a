package io.github.variantshredded.read.rebuild

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}

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
 *   the dictionary ids of the fields
 */
private[read] final class ObjectShape(
    val owner: ObjectVectors,
    val word: Long,
    val numbering: Int,
    val fields: Array[PositionVectors],
    val ids: IdList
) {

  /** Returns true if this is the shape of the object with these fields in the current batch. */
  def isOf(owner: ObjectVectors, word: Long): Boolean =
    this.word == word && (this.owner eq owner) && numbering == owner.present.numbering
}
