package io.github.variantshredded.read.demand

import io.github.variantshredded.shredding.layout.{TypedValue, VariantGroup}
import org.apache.spark.sql.types.DataType

/**
 * What is read of one Variant group.
 *
 * @param group
 *   without the leaves that nobody asked for; shredded fields that lost all of their leaves are still
 *   there by name
 * @param names
 *   UTF-8 names of all shredded fields, by ordinal
 * @param needsMetadata
 *   whether `metadata` is read in every row group, or just where a `value` is non-null
 * @param presences
 *   paths of the shredded objects of which it matters where they are; None if of all
 * @param decodeAs
 *   for some primitive leaves, by index, a wider Spark type that the decoder is to give: for those
 *   whose values one extraction asks for, and nobody else
 */
private[read] final class DemandedLeaves(
    val group: VariantGroup,
    val names: Array[Array[Byte]],
    val needsMetadata: Boolean,
    presences: Option[Set[Seq[String]]],
    val decodeAs: Map[Int, DataType]
) {

  /** Whether it matters where a shredded object is there and where not. */
  def needsPresence(obj: TypedValue.ObjectGroup): Boolean =
    presences.forall(_.contains(obj.parquetPath))
}
