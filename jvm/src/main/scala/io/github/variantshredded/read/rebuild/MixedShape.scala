package io.github.variantshredded.read.rebuild

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}
import io.github.variantshredded.variant.{MetadataDictionary, ObjectCursor}

/**
 * Describes a partially shredded object: its shredded fields, its residual fields, and the order of
 * both. Many rows with the same metadata share a shape.
 *
 * @param owner
 *   the object
 * @param word
 *   bitmap of the shredded fields, as in [[ObjectShape]]
 * @param numbering
 *   the meaning of the bits in `word`, as in [[ObjectShape]]
 * @param residualIds
 *   the ids of the residual fields as the residual value lists them, `residualIdSize` bytes each
 * @param fields
 *   the shredded fields, in descending order of names
 * @param order
 *   all fields in descending order of names: the index in `fields` of a shredded field, and `-1 -
 *   i` for the field `i` of the residual value
 * @param ids
 *   the dictionary ids of all fields in ascending order of names, `idSize` bytes each
 */
private[read] final class MixedShape(
    val owner: ObjectVectors,
    val word: Long,
    val numbering: Int,
    val residualIds: Array[Byte],
    val residualIdSize: Int,
    val fields: Array[PositionVectors],
    val order: Array[Int],
    val ids: Array[Byte],
    val idSize: Int,
    val hash: Int
)

private[read] object MixedShape {

  /** Returns the hash of the shape of an object with these fields and this residual value. */
  def hash(owner: ObjectVectors, word: Long, residual: ObjectCursor): Int = {
    val mixed = (word * Spread + owner.nodeIndex) * Spread + residual.idsHash
    (mixed ^ mixed >>> 32).toInt
  }

  /**
   * Creates a shape.
   *
   * @param fields
   *   the shredded fields that the object has
   * @param fieldIds
   *   their dictionary ids, in the same order
   * @param residual
   *   the residual value, which has no shredded field
   */
  def apply(
      owner: ObjectVectors,
      word: Long,
      fields: Array[PositionVectors],
      fieldIds: Array[Int],
      residual: ObjectCursor,
      dictionary: MetadataDictionary
  ): MixedShape = {
    val count = fieldIds.length + residual.numFields
    val order = new Array[Int](count)
    val ids = new Array[Int](count)
    // Both lists are in the order of names, the fields in descending and the residual in ascending
    // order.
    var field = 0
    var other = residual.numFields - 1
    var i = 0
    while (i < count) {
      val takesField = field < fieldIds.length &&
        (other < 0 || dictionary.compareKeys(fieldIds(field), residual.fieldId(other)) > 0)
      if (takesField) {
        order(i) = field
        ids(i) = fieldIds(field)
        field += 1
      } else {
        order(i) = -1 - other
        ids(i) = residual.fieldId(other)
        other -= 1
      }
      i += 1
    }
    val idSize = ObjectShape.sizeOf(ids)
    new MixedShape(
      owner,
      word,
      owner.present.numbering,
      residual.copyIds,
      residual.idSize,
      fields,
      order,
      ObjectShape.reversed(ids, idSize),
      idSize,
      hash(owner, word, residual)
    )
  }

  private final val Spread = 0x9e3779b97f4a7c15L
}
