package io.github.variantshredded.read.pages

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex

/**
 * Refuses offset indexes that cannot be true, before pages are fetched by their word: parquet-java
 * takes memory for what they claim, and rows would be lost.
 */
private[read] object OffsetIndexCheck {

  /**
   * @param rows
   *   of the row group
   * @param index
   *   as parquet-java gives it, null for one of no pages
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` with the column and the rule that is broken
   */
  def check(chunk: ColumnChunkMetaData, rows: Long, index: OffsetIndex): Unit = {
    // Of no pages parquet-java makes none at all.
    val pages = if (index == null) 0 else index.getPageCount
    if (pages == 0 && rows > 0) throw corrupt(chunk, s"has no page for $rows rows.")
    val start = chunk.getStartingPos
    val end = start + chunk.getTotalSize
    var free = start
    var page = 0
    while (page < pages) {
      val row = index.getFirstRowIndex(page)
      val least = if (page == 0) 0L else index.getFirstRowIndex(page - 1) + 1
      if (row < least || (page == 0 && row > 0) || row >= rows) {
        throw corrupt(chunk, s"has row $row as the first of page $page, of $rows rows.")
      }
      val offset = index.getOffset(page)
      val size = index.getCompressedPageSize(page).toLong
      if (size <= 0 || offset < free || offset > end - size) {
        throw corrupt(
          chunk,
          s"has page $page at $offset, $size bytes long, where the bytes from $free to $end are left."
        )
      }
      free = offset + size
      page += 1
    }
  }

  private def corrupt(chunk: ColumnChunkMetaData, reason: String): VariantShreddedException =
    VariantShreddedErrors.corruptFile(
      s"The offset index $reason",
      ErrorLocation(column = Some(chunk.getPath.toArray.mkString(".")))
    )
}
