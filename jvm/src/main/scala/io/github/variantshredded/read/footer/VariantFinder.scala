package io.github.variantshredded.read.footer

import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.types.StructType

/**
 * Finds Variants in files with one schema.
 *
 * @param useFieldId
 *   whether columns with a Parquet field id are matched by this id
 * @param maxDepth
 *   maximum nesting depth of a Variant
 */
private[read] final case class VariantFinder(
    schema: FileSchema,
    caseSensitive: Boolean,
    useFieldId: Boolean,
    maxDepth: Int
) {

  /** Returns the schema with placeholders for the Variants of `wanted`. */
  def placeholders(wanted: StructType): PlaceholderSchema =
    PlaceholderSchema.of(schema.message, wanted, caseSensitive, useFieldId, maxDepth)

  /** Returns the schema in which Spark's code reads the columns of `wanted`, Variants too. */
  def forSpark(wanted: StructType): MessageType =
    PlaceholderSchema.forSpark(schema.message, wanted, caseSensitive, useFieldId)

  /**
   * Returns the part of `all` that leads to the given columns, as [[PlaceholderSchema.only]] does.
   */
  def only(all: StructType, columns: Seq[Seq[String]]): StructType =
    PlaceholderSchema.only(all, columns, caseSensitive)
}
