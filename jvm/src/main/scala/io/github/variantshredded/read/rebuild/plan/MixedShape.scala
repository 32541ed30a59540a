package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.read.decode.ObjectVectors
import io.github.variantshredded.variant.{MetadataDictionary, ObjectCursor}

/**
 * Describes a partially shredded object: its shredded fields, its residual fields, and the order of
 * both. Many rows with the same metadata share a shape.
 *
 * @param shredded
 *   the shredded fields
 * @param residual
 *   the ids of the residual fields, as the residual value lists them
 * @param order
 *   all fields in descending order of names: the index in `shredded.fields` of a shredded field,
 *   and `-1 - i` for the field `i` of the residual value
 * @param ids
 *   the ids of all fields
 */
private[read] final class MixedShape(
    val shredded: ObjectShape,
    val residual: IdList,
    val order: Array[Int],
    val ids: IdList,
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
   * @param shredded
   *   the shredded fields that the object has
   * @param shreddedIds
   *   their dictionary ids, in the order of `shredded.fields`
   * @param residual
   *   the residual value, which has no shredded field
   */
  def apply(
      shredded: ObjectShape,
      shreddedIds: Array[Int],
      residual: ObjectCursor,
      dictionary: MetadataDictionary
  ): MixedShape = {
    val count = shreddedIds.length + residual.numFields
    val order = new Array[Int](count)
    val ids = new Array[Int](count)
    // Both lists are in the order of names, the fields in descending and the residual in ascending
    // order.
    var field = 0
    var other = residual.numFields - 1
    var i = 0
    while (i < count) {
      val takesField = field < shreddedIds.length &&
        (other < 0 || dictionary.compareKeys(shreddedIds(field), residual.fieldId(other)) > 0)
      if (takesField) {
        order(i) = field
        ids(i) = shreddedIds(field)
        field += 1
      } else {
        order(i) = -1 - other
        ids(i) = residual.fieldId(other)
        other -= 1
      }
      i += 1
    }
    new MixedShape(
      shredded,
      new IdList(residual.copyIds, residual.idSize),
      order,
      IdList.reversed(ids),
      hash(shredded.owner, shredded.word, residual)
    )
  }

  private final val Spread = 0x9e3779b97f4a7c15L
}
