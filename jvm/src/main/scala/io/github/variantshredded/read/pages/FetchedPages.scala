package io.github.variantshredded.read.pages

import org.apache.parquet.column.page.PageReadStore

/**
 * Holds the pages that were fetched from a row group.
 *
 * @param rowsOf
 *   for each leaf column, the rows of its pages according to the offset index by which pages were
 *   selected; empty if all pages were fetched
 * @param prefixesCrossPages
 *   see `PageCheck`
 */
private[read] final case class FetchedPages(
    pages: PageReadStore,
    rowsOf: Map[Seq[String], PageRows],
    prefixesCrossPages: Boolean
)
