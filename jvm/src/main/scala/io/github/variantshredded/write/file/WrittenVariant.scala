package io.github.variantshredded.write.file

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.Layout

/**
 * Describes a Variant in the schema of a file that is written.
 *
 * @param path
 *   path of the Variant's group in the file; the binary that Spark's writer sees has the same path
 * @param bloomFilters
 *   the leaf columns with bloom filters, as paths relative to the group
 * @param column
 *   path for errors
 */
private[write] final case class WrittenVariant(
    path: Seq[String],
    schema: ShreddingSchema,
    layout: Layout,
    bloomFilters: Set[Seq[String]],
    column: String
)
