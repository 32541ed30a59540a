package io.github.variantshredded.read.scan

import io.github.variantshredded.read.file.FileOverlay
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex

/**
 * Describes the files of a table.
 *
 * @param index
 *   lists the files
 * @param path
 *   the directory or the pattern of paths from which streams read; None if there are several
 * @param overlay
 *   how the table differs from its files
 */
final case class ScannedFiles(
    index: PartitioningAwareFileIndex,
    path: Option[String] = None,
    overlay: FileOverlay = FileOverlay.Empty
)
