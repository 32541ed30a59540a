package io.github.variantshredded.write.file

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.Layout

/**
 * A Variant in the schema of a file that is written.
 *
 * @param path
 *   of the Variant's group in the file, which is that of the binary in its place
 * @param bloomFilters
 *   the leaf columns below the group that get bloom filters, as paths from there
 * @param column
 *   path for errors
 */
private[write] final case class PlacedVariant(
    path: Seq[String],
    schema: ShreddingSchema,
    layout: Layout,
    bloomFilters: Set[Seq[String]],
    column: String
)
