package io.github.variantshredded.read.file

import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.columns.RequestedColumns
import io.github.variantshredded.read.options.ReadSettings

/**
 * Describes what a task reads from each file. The driver makes the plan from the scan, and the
 * tasks make their decoders from the plan.
 *
 * @param columns
 *   the data columns, which come first in a batch, and the extractions, which come last
 * @param unfetched
 *   the columns between them, for which no pages are fetched
 * @param conjuncts
 *   predicates; rows that certainly do not meet them may be left out
 * @param limit
 *   number of rows after which a reader may stop reading a file; None for all rows
 * @param overlay
 *   how the table differs from its files
 * @param areListed
 *   whether the file system has listed the files. The log of a stream or of Delta Lake still has
 *   the old times if its files were copied.
 */
private[read] final case class ReadPlan(
    columns: RequestedColumns,
    unfetched: UnfetchedColumns,
    conjuncts: Seq[Conjunct],
    limit: Option[Int],
    settings: ReadSettings,
    overlay: FileOverlay = FileOverlay.Empty,
    areListed: Boolean = false
)
