package io.github.variantshredded.read.skip

import java.nio.ByteBuffer

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.footer.NullCounts
import io.github.variantshredded.read.pages.{FileBytes, PageIndexes, RowSelection}
import org.apache.parquet.format.ColumnIndex
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.schema.ColumnOrder.ColumnOrderName

/** Holds what is known about the pages of one column chunk, and which rows they have. */
private[skip] final class PageRanges(ranges: Array[LeafRange], index: OffsetIndex, rows: Long) {

  /** Returns the rows of those pages that may have a row that passes the test. */
  def rows(test: LeafTest): RowSelection = {
    val builder = new RowSelection.Builder
    var page = 0
    while (page < ranges.length) {
      val first = index.getFirstRowIndex(page)
      val until = index.getLastRowIndex(page, rows) + 1
      // A page may have no rows.
      if (first < until && test.mayBeTrue(ranges(page))) builder.add(first, until)
      page += 1
    }
    builder.result()
  }
}

private[skip] object PageRanges {

  /**
   * Reads the column index and the offset index of a chunk.
   *
   * @param rows
   *   number of rows in the row group
   * @return
   *   None if the file does not have both indexes
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if an index is impossible
   */
  def read(chunk: ColumnChunkMetaData, rows: Long, file: FileBytes): Option[PageRanges] = for {
    columnIndex <- PageIndexes.columnIndex(chunk, file)
    offsetIndex <- PageIndexes.offsetIndex(chunk, rows, file)
  } yield of(chunk, rows, columnIndex, offsetIndex)

  /**
   * Combines the indexes of a chunk, as [[read]] does.
   *
   * @param offsetIndex
   *   the offset index, which has been checked
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the numbers of pages differ
   */
  def of(
      chunk: ColumnChunkMetaData,
      rows: Long,
      columnIndex: ColumnIndex,
      offsetIndex: OffsetIndex
  ): PageRanges = {
    val pages = offsetIndex.getPageCount
    val nullCounts = Option(columnIndex.getNull_counts)
    val sizes = Seq(
      columnIndex.getNull_pages.size,
      columnIndex.getMin_values.size,
      columnIndex.getMax_values.size
    ) ++ nullCounts.map(_.size)
    if (sizes.exists(_ != pages)) {
      throw VariantShreddedErrors.corruptFile(
        s"The column index has ${sizes.distinct.mkString(" and ")} pages, but the offset index " +
          s"has $pages.",
        ErrorLocation(column = Some(chunk.getPath.toArray.mkString(".")))
      )
    }
    // For other column orders, the order in which min and max were determined is unknown.
    val isOrdered =
      chunk.getPrimitiveType.columnOrder.getColumnOrderName == ColumnOrderName.TYPE_DEFINED_ORDER
    // Where the footer has no null count, those of the pages may be wrong too.
    val trustedCounts = nullCounts.filter(_ => NullCounts.of(chunk).isDefined)
    val nullPages = new NullPages(chunk, rows, columnIndex, trustedCounts, offsetIndex)
    val ranges = Array.tabulate(pages) { page =>
      if (nullPages.has(page)) LeafRange.AllNull
      else if (columnIndex.getNull_pages.get(page)) LeafRange.Unknown
      else {
        LeafRange(
          allNull = false,
          noNull = trustedCounts.exists(_.get(page) == 0L),
          min = if (isOrdered) bytesOf(columnIndex.getMin_values.get(page)) else null,
          max = if (isOrdered) bytesOf(columnIndex.getMax_values.get(page)) else null,
          exact = false
        )
      }
    }
    new PageRanges(ranges, offsetIndex, rows)
  }

  private def bytesOf(value: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](value.remaining)
    value.duplicate().get(bytes)
    bytes
  }
}
