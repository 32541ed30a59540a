package io.github.variantshredded.replace

import org.apache.spark.sql.catalyst.expressions.variant.SchemaOfVariant
import org.apache.spark.sql.types.DataType
import org.apache.spark.types.variant.Variant

/**
 * Merges the schemas of Variants as Spark's `schema_of_variant_agg` does.
 *
 * Most Variants do not change the merged schema, which [[SchemaCover]] recognizes from their bytes.
 * Spark's own functions process the other Variants, including malformed ones.
 */
private[variantshredded] final class MergedSchema(private var merged: DataType) {
  private var covered: CoveredSchema = _

  def schema: DataType = merged

  def add(value: Array[Byte], metadata: Array[Byte], cover: SchemaCover): Unit = {
    if (covered == null) covered = cover.of(merged)
    if (!cover.holds(covered, value, metadata)) {
      add(SchemaOfVariant.schemaOf(new Variant(value, metadata)))
    }
  }

  def add(schema: DataType): Unit = {
    val next = SchemaOfVariant.mergeSchema(merged, schema)
    if (next != merged) {
      merged = next
      covered = null
    }
  }
}
