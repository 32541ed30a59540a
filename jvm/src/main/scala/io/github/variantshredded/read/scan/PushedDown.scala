package io.github.variantshredded.read.scan

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.read.file.SummaryPlan
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Describes what a query has pushed down into a scan.
 *
 * @param partitionFilters
 *   predicates on partition columns, by which files are chosen
 * @param dataFilters
 *   predicates on data columns; Spark evaluates them again above the scan
 * @param conjuncts
 *   the conjuncts of `dataFilters` that are pushed down, and why others are not
 * @param fileFilters
 *   the predicates of `dataFilters` on `_metadata` by which files are chosen, for explanations
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
    partitionFilters: Seq[Expression],
    dataFilters: Seq[Expression],
    conjuncts: Conjuncts,
    fileFilters: Seq[String],
    limit: Option[Int],
    extractions: Seq[ScanExtraction] = Nil,
    declined: Seq[String] = Nil,
    summary: Option[SummaryPlan] = None
)
