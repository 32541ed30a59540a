package io.github.variantshredded.read.pages

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.internal.column.columnindex.OffsetIndex

/**
 * What was fetched of a row group.
 *
 * @param rowsOf
 *   of leaves: which rows the pages hold by the word of the offset index, by which they were chosen;
 *   empty where all pages are there
 * @param prefixesCrossPages
 *   see [[PageCheck]]
 */
private[read] final case class FetchedPages(
    pages: PageReadStore,
    rowsOf: Map[Seq[String], PageRows],
    prefixesCrossPages: Boolean
)

/**
 * Which rows the pages of a leaf hold by the word of its offset index.
 *
 * @param rowCount
 *   rows of the row group
 */
private[read] final class PageRows(index: OffsetIndex, rowCount: Long) {

  /** How many rows the page has that begins with the row `first`; -1 if there is none. */
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
