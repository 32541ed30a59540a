package io.github.variantshredded.write.file

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.Layout
import org.apache.spark.sql.types.StructType

/**
 * Describes the columns of a file to write.
 *
 * @param schema
 *   schema of the rows
 * @param shredding
 *   the shredding schema of each Variant, in the order of
 *   [[io.github.variantshredded.shredding.ShreddingSpec.columns]]
 * @param layout
 *   layout of the Variants
 * @param bloomFilters
 *   the paths that get bloom filters, besides the columns that `parquet.bloom.filter.enabled` names
 */
private[write] final case class WrittenColumns(
    schema: StructType,
    shredding: Seq[ShreddingSchema],
    layout: Layout,
    bloomFilters: BloomFilterPaths
)
