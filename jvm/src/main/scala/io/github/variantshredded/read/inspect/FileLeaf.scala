package io.github.variantshredded.read.inspect

import io.github.variantshredded.read.skip.PathSkipping

/**
 * Describes one leaf column of a file.
 *
 * @param column
 *   name of the Variant or ordinary column, with dots
 * @param variant
 *   where the leaf column is in its Variant; None for ordinary columns
 * @param dataType
 *   type of the values, in the notation of shredding schemas; Spark's for ordinary columns
 * @param residual
 *   the leaf column with the residual values at the same path
 * @param skipping
 *   decides whether comparisons at this path can skip row groups; None for metadata, and for leaf
 *   columns without a Spark type
 */
private[inspect] final case class FileLeaf(
    parquetPath: Seq[String],
    column: String,
    variant: Option[LeafOfVariant],
    dataType: Option[String],
    residual: Option[ResidualLeaf],
    skipping: Option[PathSkipping]
)
