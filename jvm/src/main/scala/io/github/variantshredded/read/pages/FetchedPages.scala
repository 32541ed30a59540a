package io.github.variantshredded.read.pages

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.internal.column.columnindex.OffsetIndex

/**
 * Holds the pages that were fetched from a row group.
 *
 * @param rowsOf
 *   for each leaf column, the rows of its pages according to the offset index by which pages were
 *   selected; empty if all pages were fetched
 * @param prefixesCrossPages
 *   see [[PageCheck]]
 */
private[read] final case class FetchedPages(
    pages: PageReadStore,
    rowsOf: Map[Seq[String], PageRows],
    prefixesCrossPages: Boolean
)

/**
 * Returns how many rows the pages of a leaf column have, according to its offset index.
 *
 * @param rowCount
 *   number of rows in the row group
 */
private[read] final class PageRows(index: OffsetIndex, rowCount: Long) {

  /**
   * Returns the number of rows in the page whose first row is `first`; -1 if there is no such page.
   */
  def count(first: Long): Long = {
    var from = 0
    var until = index.getPageCount
    while (from < until) {
      val middle = (from + until) >>> 1
      if (index.getFirstRowIndex(middle) < first) from = middle + 1 else until = middle
    }
    if (from < index.getPageCount && index.getFirstRowIndex(from) == first)
      index.getLastRowIndex(from, rowCount) - first + 1
    else -1
  }
}
