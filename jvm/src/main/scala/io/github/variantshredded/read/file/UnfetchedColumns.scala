package io.github.variantshredded.read.file

import org.apache.spark.sql.types.StructType

/**
 * Describes the columns of a batch for which no pages are fetched. They follow the data columns, in
 * the order of these parameters.
 *
 * @param partition
 *   the requested partition columns
 * @param metadata
 *   the requested fields of the column `_metadata`; None if it is not requested
 * @param summary
 *   what footers may answer, and the columns with its counts
 */
private[read] final case class UnfetchedColumns(
    partition: StructType = new StructType,
    metadata: Option[StructType] = None,
    summary: Option[SummaryPlan] = None
)
