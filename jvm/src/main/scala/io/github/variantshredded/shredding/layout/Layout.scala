package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.ShreddingSchema
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.Type.Repetition

/**
 * Names the layout of a shredded Variant as a Parquet group. Both layouts have the same tree of
 * positions; they differ in the names of columns, and in where they store the names of fields.
 *
 * @param name
 *   name of the layout in options
 * @param metadata
 *   name of the column with the metadata dictionary of a whole Variant, if the layout has one
 * @param value
 *   name of the residual column of a position
 * @param primitive
 *   name of the typed column of a position whose type is primitive
 * @param array
 *   name of the typed group of a position that is an array
 * @param obj
 *   name of the typed group of a position that is an object
 */
sealed abstract class Layout(
    val name: String,
    val metadata: Option[String],
    val value: String,
    val primitive: String,
    val array: String,
    val obj: String
) {

  /** Names of the typed columns that a position can have. */
  final val typed: Seq[String] = Seq(obj, array, primitive).distinct

  /** Names of all columns that a position can have. */
  final val columns: Seq[String] = value +: typed

  /** Returns the group `name` of Variants that are shredded by `schema`. */
  def group(name: String, schema: ShreddingSchema, repetition: Repetition): GroupType
}

object Layout {

  /** Follows the VariantShredding spec: one column `metadata` for the whole Variant. */
  case object Spec
      extends Layout(
        "spec",
        Some("metadata"),
        "value",
        "typed_value",
        "typed_value",
        "typed_value"
      ) {
    override def group(name: String, schema: ShreddingSchema, repetition: Repetition): GroupType =
      SpecLayoutWriter.group(name, schema, repetition)
  }

  /**
   * Follows the earlier layout of Spark: each `untyped_value` is a Variant of its own, and holds
   * its metadata followed by its value.
   */
  case object Overview
      extends Layout("overview", None, "untyped_value", "typed_value", "array", "object") {
    override def group(name: String, schema: ShreddingSchema, repetition: Repetition): GroupType =
      OverviewLayoutWriter.group(name, schema, repetition)
  }

  val All: Seq[Layout] = Seq(Spec, Overview)
}
