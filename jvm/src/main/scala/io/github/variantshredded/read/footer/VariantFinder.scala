package io.github.variantshredded.read.footer

import org.apache.spark.sql.types.StructType

/**
 * Finds Variants in files with one schema.
 *
 * @param useFieldId
 *   whether columns with a Parquet field id are found by it
 * @param maxDepth
 *   deepest nesting of a Variant
 */
private[read] final case class VariantFinder(
    schema: FileSchema,
    caseSensitive: Boolean,
    useFieldId: Boolean,
    maxDepth: Int
) {

  /** Where the Variants in `wanted` are. */
  def place(wanted: StructType): VariantPlacement =
    VariantPlacement.of(schema.message, wanted, caseSensitive, useFieldId, maxDepth)

  /** The part of `all` on the way to the given columns, each with the names that lead to it. */
  def only(all: StructType, columns: Seq[Seq[String]]): StructType =
    VariantPlacement.only(all, columns, caseSensitive)
}
