package io.github.variantshredded.read.file

import io.github.variantshredded.read.footer.ColumnNames

/**
 * Describes how a table differs from its files: by rows that it has deleted, and by columns that it
 * has renamed. Tables of this source do neither.
 *
 * @param liveRows
 *   says which rows of the files the table still has; None if it has all of them
 * @param columnNames
 *   the names of the columns in the table; None if they are those of the files
 */
final case class FileOverlay(
    liveRows: Option[LiveRows] = None,
    columnNames: Option[ColumnNames] = None
)

object FileOverlay {

  /** Describes a table that is the same as its files. */
  val Empty: FileOverlay = FileOverlay()
}
