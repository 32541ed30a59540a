package io.github.variantshredded.read.pages.check

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex

/**
 * Refuses an offset index that is impossible, before pages are fetched by it. parquet-java would
 * allocate memory for the sizes that the index claims, and rows could be lost.
 */
private[read] object OffsetIndexCheck {

  /**
   * Checks the offset index of a column chunk.
   *
   * @param rows
   *   number of rows in the row group
   * @param index
   *   the index as parquet-java returns it: null if it has no pages
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` with the column and the rule that is broken
   */
  def check(chunk: ColumnChunkMetaData, rows: Long, index: OffsetIndex): Unit = {
    // parquet-java returns null for an index without pages.
    val pages = if (index == null) 0 else index.getPageCount
    if (pages == 0 && rows > 0) throw corrupt(chunk, s"has no page for $rows rows.")
    val start = chunk.getStartingPos
    val end = start + chunk.getTotalSize
    var free = start
    var page = 0
    while (page < pages) {
      val row = index.getFirstRowIndex(page)
      // pyarrow writes pages without rows: the next page has the same first row.
      val least = if (page == 0) 0L else index.getFirstRowIndex(page - 1)
      if (row < least || (page == 0 && row > 0) || row > rows) {
        throw corrupt(
          chunk,
          s"has row $row as the first row of page $page in a row group of $rows rows."
        )
      }
      val offset = index.getOffset(page)
      val size = index.getCompressedPageSize(page).toLong
      if (size <= 0 || offset < free || offset > end - size) {
        throw corrupt(
          chunk,
          s"has page $page at offset $offset with $size bytes, but the bytes $free to $end " +
            "are left."
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
