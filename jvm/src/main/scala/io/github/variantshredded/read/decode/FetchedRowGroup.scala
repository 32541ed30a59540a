package io.github.variantshredded.read.decode

import io.github.variantshredded.read.pages.RowSelection
import org.apache.parquet.column.page.PageReadStore

/**
 * Holds the fetched column chunks of a row group.
 *
 * @param rows
 *   the rows that are decoded
 */
private[read] final class FetchedRowGroup(
    val index: Int,
    val pages: PageReadStore,
    val rows: RowSelection,
    skipped: Set[Seq[String]]
) {

  /**
   * Returns true if the chunk was not fetched, because all of its values are null or its column was
   * not requested.
   */
  def isSkipped(path: Array[String]): Boolean =
    skipped.nonEmpty && skipped.contains(path.toIndexedSeq)
}
