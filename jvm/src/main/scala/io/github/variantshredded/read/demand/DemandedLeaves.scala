package io.github.variantshredded.read.demand

import io.github.variantshredded.shredding.layout.{TypedValue, VariantGroup, VariantLeaf}
import org.apache.spark.sql.types.DataType

/**
 * Describes which leaf columns of one Variant group are read, and how.
 *
 * @param group
 *   the group without the leaf columns that are not needed; a shredded field without any leaf
 *   column left is still present by name
 * @param names
 *   names of all shredded fields in UTF-8, by ordinal
 * @param needsMetadata
 *   whether `metadata` is read in every row group; otherwise only in row groups with residual
 *   values
 * @param needsPresence
 *   the shredded objects for which it is needed in which rows they are present
 * @param levels
 *   where the reader finds out in which rows groups are present
 * @param decodeAs
 *   for some primitive leaf columns, by index, the wider Spark type to decode them as; only for
 *   leaf columns that a single extraction uses
 */
private[read] final class DemandedLeaves(
    val group: VariantGroup,
    val names: Array[Array[Byte]],
    val needsMetadata: Boolean,
    val needsPresence: TypedValue.ObjectGroup => Boolean,
    val levels: LevelPlan,
    val decodeAs: Map[Int, DataType]
) {

  private val flat = LevelPlan.flatLeaves(group.root)
  private val listed = LevelPlan.outerLists(group.root).flatMap(_.leaves)
  private val residuals = group.root.residuals

  /** Whether `metadata` is read in some row groups. */
  val readsMetadata: Boolean = needsMetadata || residuals.nonEmpty

  /** The leaf columns to fetch. */
  val leaves: Seq[VariantLeaf] = group.metadata.filter(_ => readsMetadata).toSeq ++ flat ++ listed

  /**
   * Returns the leaf columns that need not be fetched from a row group in which the leaf columns of
   * `allNull` are all null.
   */
  def skipped(allNull: VariantLeaf => Boolean): Seq[VariantLeaf] = {
    val empty = flat.filter(leaf => !levels.leaves(leaf.index) && allNull(leaf))
    val usesMetadata = needsMetadata ||
      group.metadata.exists(leaf => levels.leaves(leaf.index)) || residuals.exists(!allNull(_))
    if (usesMetadata) empty else empty ++ group.metadata
  }
}
