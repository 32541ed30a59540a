package io.github.variantshredded.read.decode

import org.apache.parquet.column.page.PageReadStore

/** A row group whose column chunks have been fetched. */
private[read] final class RowGroup(
    val index: Int,
    val pages: PageReadStore,
    skipped: Set[Seq[String]]
) {

  /** Whether the chunk was left out: all of its values are null, or nobody looks at them. */
  def isSkipped(path: Array[String]): Boolean =
    skipped.nonEmpty && skipped.contains(path.toIndexedSeq)
}
