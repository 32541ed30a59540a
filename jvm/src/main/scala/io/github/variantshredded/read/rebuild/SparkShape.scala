package io.github.variantshredded.read.rebuild

import io.github.variantshredded.read.decode.{ObjectVectors, PositionVectors}
import io.github.variantshredded.read.rebuild.plan.FieldsOfObject

/**
 * Describes the shredded fields of an object in the order in which Spark writes them, which is that
 * of the file.
 *
 * @param fields
 *   the fields, in the order of the file
 * @param ordinals
 *   for each of them, its index in the list of all shredded fields of the Variant
 * @param byName
 *   the indexes in `fields`, in ascending order of names
 */
private[read] final class SparkShape(
    owner: ObjectVectors,
    word: Long,
    numbering: Int,
    val fields: Array[PositionVectors],
    val ordinals: Array[Int],
    val byName: Array[Int]
) extends FieldsOfObject(owner, word, numbering)
