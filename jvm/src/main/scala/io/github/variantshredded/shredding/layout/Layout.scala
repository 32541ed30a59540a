package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.ShreddingSchema
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.Type.Repetition

/**
 * How a shredded Variant is laid out as a Parquet group. Both layouts have the same tree of
 * positions; they differ in the names of columns, and in where the names of fields are.
 *
 * @param name
 *   as options have it
 * @param metadata
 *   name of the column with the field names of a whole Variant, if the layout has one
 * @param value
 *   name of the untyped column of a position
 * @param primitive
 *   name of the typed column of a position, for primitives; so with the next two
 */
sealed abstract class Layout(
    val name: String,
    val metadata: Option[String],
    val value: String,
    val primitive: String,
    val array: String,
    val obj: String
) {

  /** Names of the typed columns a position can have. */
  final val typed: Seq[String] = Seq(obj, array, primitive).distinct

  /** Names of the columns a position can have. */
  final val columns: Seq[String] = value +: typed

  /** The group `name` of Variants that are shredded by `schema`. */
  def group(name: String, schema: ShreddingSchema, repetition: Repetition): GroupType
}

object Layout {

  /** The VariantShredding spec: one `metadata` for all of a Variant. */
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
   * The earlier layout of Spark: an `untyped_value` is a Variant by itself, its metadata before its
   * value.
   */
  case object Overview
      extends Layout("overview", None, "untyped_value", "typed_value", "array", "object") {
    override def group(name: String, schema: ShreddingSchema, repetition: Repetition): GroupType =
      OverviewLayoutWriter.group(name, schema, repetition)
  }

  val All: Seq[Layout] = Seq(Spec, Overview)
}
