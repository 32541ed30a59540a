package io.github.variantshredded.replace

import org.apache.spark.sql.catalyst.expressions.variant.SchemaOfVariant
import org.apache.spark.sql.types.DataType
import org.apache.spark.types.variant.Variant

/**
 * The schemas of the Variants seen so far, merged as Spark's `schema_of_variant_agg` does.
 *
 * Most Variants change nothing, which [[SchemaCover]] finds out from their bytes; the others go
 * through Spark's own functions, and so does whatever is wrong with them.
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
