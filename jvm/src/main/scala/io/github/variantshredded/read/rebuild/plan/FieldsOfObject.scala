package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.read.decode.ObjectVectors

/**
 * Says which shredded fields an object has. Many rows with the same metadata share an instance.
 *
 * @param owner
 *   the object
 * @param word
 *   bitmap of the fields, as in [[io.github.variantshredded.read.decode.FieldBits.word]]
 * @param numbering
 *   the meaning of the bits in `word`, see
 *   [[io.github.variantshredded.read.decode.FieldBits.numbering]]
 */
private[read] abstract class FieldsOfObject(
    val owner: ObjectVectors,
    val word: Long,
    val numbering: Int
) {

  /** Returns true if the object has these fields in a slot of the current batch with this bitmap. */
  final def isOf(owner: ObjectVectors, word: Long): Boolean =
    this.word == word && (this.owner eq owner) && numbering == owner.present.numbering
}
