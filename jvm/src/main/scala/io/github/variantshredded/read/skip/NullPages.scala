package io.github.variantshredded.read.skip

import java.lang.{Long => JLong}
import java.util.{List => JList}

import org.apache.parquet.format.ColumnIndex
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex

/**
 * Finds the pages of a chunk that hold only nulls: the column index says so, and no other number
 * contradicts it. Some writers say so of each page without bounds (Polars), or of a page of
 * lists with as many nulls as rows (arrow-rs).
 *
 * @param rows
 *   number of rows in the row group
 * @param nullCounts
 *   the number of nulls in each page; None if it is not known
 */
private[skip] final class NullPages(
    chunk: ColumnChunkMetaData,
    rows: Long,
    columnIndex: ColumnIndex,
    nullCounts: Option[JList[JLong]],
    offsetIndex: OffsetIndex
) {

  private val pages = offsetIndex.getPageCount

  /** The numbers of values by definition level, page after page, or none. */
  private val levels =
    Option(columnIndex.getDefinition_level_histograms).filter(all =>
      !all.isEmpty && pages > 0 && all.size % pages == 0
    )

  def has(page: Int): Boolean = columnIndex.getNull_pages.get(page) && (levels match {
    // The last of the levels is that of values that are not null.
    case Some(all) => all.get((page + 1) * (all.size / pages) - 1) == 0L
    case None      => hasManyNulls(page)
  })

  /** Returns whether the null count of a page is known, and as great as for a page without values. */
  private def hasManyNulls(page: Int): Boolean = {
    val count = offsetIndex.getLastRowIndex(page, rows) - offsetIndex.getFirstRowIndex(page) + 1
    // A row of lists may have several values.
    val isOfLists = chunk.getValueCount != rows
    nullCounts.map(_.get(page)).exists { nulls =>
      if (isOfLists) nulls > count else nulls == count
    }
  }
}
