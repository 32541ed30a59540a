package io.github.variantshredded.read.scan

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.read.file.SummaryPlan
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Describes what a query has pushed down into a scan.
 *
 * @param filters
 *   the predicates
 * @param limit
 *   number of rows after which reading of each split of a file may stop; None for all rows
 * @param extractions
 *   the extractions that the scan returns: one column each after its other columns, followed by the
 *   column of their errors
 * @param declined
 *   the expressions of the query that are not pushed down as extractions, and why
 * @param summary
 *   what the footers of the files may answer; its counts come before the extractions
 */
final case class PushedDown(
    filters: PushedFilters,
    limit: Option[Int],
    extractions: Seq[ScanExtraction] = Nil,
    declined: Seq[String] = Nil,
    summary: Option[SummaryPlan] = None
) {

  /** Returns whether the scan returns all rows and columns of its table. */
  def isEmpty: Boolean =
    filters.partition.isEmpty && filters.data.isEmpty && limit.isEmpty && extractions.isEmpty &&
      summary.isEmpty

  /** Adds predicates on partition columns. */
  private[variantshredded] def withPartitionFilters(more: Seq[Expression]): PushedDown =
    copy(filters = filters.copy(partition = filters.partition ++ more))
}
