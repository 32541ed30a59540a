package io.github.variantshredded.read.scan

import io.github.variantshredded.read.file.LiveRows
import io.github.variantshredded.read.footer.ColumnNames
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex

/**
 * Describes the files of a table.
 *
 * @param index
 *   lists the files
 * @param path
 *   the directory or the pattern of paths from which streams read; None if there are several
 * @param liveRows
 *   says which rows of the files the table still has; None if it has all of them
 * @param columnNames
 *   the names of the columns in the table; None if they are those of the files
 */
final case class ScannedFiles(
    index: PartitioningAwareFileIndex,
    path: Option[String] = None,
    liveRows: Option[LiveRows] = None,
    columnNames: Option[ColumnNames] = None
)
