package io.github.variantshredded.read.demand

import io.github.variantshredded.shredding.layout.{TypedValue, VariantGroup}
import org.apache.spark.sql.types.DataType

/**
 * Holds which leaf columns of one Variant group are read, and how.
 *
 * @param group
 *   the group without the leaf columns that are not needed; a shredded field without any leaf
 *   column left is still present by name
 * @param names
 *   names of all shredded fields in UTF-8, by ordinal
 * @param needsMetadata
 *   whether `metadata` is read in every row group; otherwise only in row groups with residual
 *   values
 * @param presences
 *   Parquet paths of the shredded objects whose presence is needed; None for all
 * @param decodeAs
 *   for some primitive leaf columns, by index, the wider Spark type to decode them as; only for
 *   leaf columns that a single extraction uses
 */
private[read] final class DemandedLeaves(
    val group: VariantGroup,
    val names: Array[Array[Byte]],
    val needsMetadata: Boolean,
    presences: Option[Set[Seq[String]]],
    val decodeAs: Map[Int, DataType]
) {

  /** Returns true if it is needed in which rows the shredded object is present. */
  def needsPresence(obj: TypedValue.ObjectGroup): Boolean =
    presences.forall(_.contains(obj.parquetPath))
}
