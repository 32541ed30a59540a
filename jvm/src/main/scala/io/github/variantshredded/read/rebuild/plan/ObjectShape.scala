package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}

/**
 * Describes a shredded object without a residual value.
 *
 * @param fields
 *   the fields, in descending order of names
 * @param ids
 *   the dictionary ids of the fields
 */
private[read] final class ObjectShape(
    owner: ObjectVectors,
    word: Long,
    numbering: Int,
    val fields: Array[PositionVectors],
    val ids: IdList
) extends FieldsOfObject(owner, word, numbering)
