package io.github.variantshredded.read.file

import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.columns.RequestedColumns
import io.github.variantshredded.read.footer.ColumnNames
import io.github.variantshredded.read.options.ReadSettings
import org.apache.spark.sql.types.StructType

/**
 * Describes what a task reads from each file. The driver makes the plan from the scan, and the
 * tasks make their decoders from the plan.
 *
 * @param columns
 *   the data columns, which come first in a batch, and the extractions, which come last
 * @param partitionSchema
 *   the requested partition columns, which follow the data columns
 * @param conjuncts
 *   predicates; rows that certainly do not meet them may be left out
 * @param limit
 *   number of rows after which a reader may stop reading a file; None for all rows
 * @param metadata
 *   the requested fields of the column `_metadata`, which follows the partition columns; None if it
 *   is not requested
 * @param liveRows
 *   says which rows of the files the table still has; None if it has all of them
 * @param columnNames
 *   the names of the columns in the table; None if they are those of the files
 * @param summary
 *   what footers may answer; its counts follow the partition columns
 */
private[read] final case class ReadPlan(
    columns: RequestedColumns,
    partitionSchema: StructType,
    conjuncts: Seq[Conjunct],
    limit: Option[Int],
    options: ReadSettings,
    metadata: Option[StructType] = None,
    liveRows: Option[LiveRows] = None,
    columnNames: Option[ColumnNames] = None,
    summary: Option[SummaryPlan] = None
)
