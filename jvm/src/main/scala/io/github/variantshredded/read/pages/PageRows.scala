package io.github.variantshredded.read.pages

import org.apache.parquet.internal.column.columnindex.OffsetIndex

/**
 * Returns how many rows the pages of a leaf column have, according to its offset index. The pages
 * are asked for in their order.
 *
 * @param rowCount
 *   number of rows in the row group
 */
private[read] final class PageRows(index: OffsetIndex, rowCount: Long) {

  /** The first row of the last page with rows; -1 if there was none. */
  private var filled = -1L

  /**
   * Returns the number of rows in the next page, whose first row is `first`; -1 if there is no such
   * page. Of pages with the same first row, only the last one has rows.
   *
   * @param isEmpty
   *   whether the page has no rows
   */
  def count(first: Long, isEmpty: Boolean): Long = {
    var from = 0
    var until = index.getPageCount
    while (from < until) {
      val middle = (from + until) >>> 1
      if (index.getFirstRowIndex(middle) <= first) from = middle + 1 else until = middle
    }
    val last = from - 1
    if (first == filled || !startsAt(last, first)) -1
    else if (isEmpty && startsAt(last - 1, first)) 0
    else {
      if (!isEmpty) filled = first
      index.getLastRowIndex(last, rowCount) - first + 1
    }
  }

  private def startsAt(page: Int, row: Long): Boolean =
    page >= 0 && index.getFirstRowIndex(page) == row
}
