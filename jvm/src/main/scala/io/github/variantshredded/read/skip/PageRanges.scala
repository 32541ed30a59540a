package io.github.variantshredded.read.skip

import java.nio.ByteBuffer

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
   *   None if the file does not have both indexes, or if they contradict each other
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the offset index is impossible
   */
  def read(chunk: ColumnChunkMetaData, rows: Long, file: FileBytes): Option[PageRanges] = for {
    columnIndex <- PageIndexes.columnIndex(chunk, file)
    offsetIndex <- PageIndexes.offsetIndex(chunk, rows, file)
    pages <- of(chunk, rows, columnIndex, offsetIndex)
  } yield pages

  /**
   * Combines the indexes of a chunk, as [[read]] does.
   *
   * @param offsetIndex
   *   the offset index, which has been checked
   * @return
   *   None if the numbers of pages differ. (parquet-go writes one too many into a column index.)
   */
  def of(
      chunk: ColumnChunkMetaData,
      rows: Long,
      columnIndex: ColumnIndex,
      offsetIndex: OffsetIndex
  ): Option[PageRanges] = {
    val sizes = Seq(
      columnIndex.getNull_pages.size,
      columnIndex.getMin_values.size,
      columnIndex.getMax_values.size
    ) ++ Option(columnIndex.getNull_counts).map(_.size)
    Option.when(sizes.forall(_ == offsetIndex.getPageCount)) {
      new PageRanges(ranges(chunk, rows, columnIndex, offsetIndex), offsetIndex, rows)
    }
  }

  private def ranges(
      chunk: ColumnChunkMetaData,
      rows: Long,
      columnIndex: ColumnIndex,
      offsetIndex: OffsetIndex
  ): Array[LeafRange] = {
    // For other column orders, the order in which min and max were determined is unknown.
    val isOrdered =
      chunk.getPrimitiveType.columnOrder.getColumnOrderName == ColumnOrderName.TYPE_DEFINED_ORDER
    // Where the footer has no null count, those of the pages may be wrong too.
    val trustedCounts =
      Option(columnIndex.getNull_counts).filter(_ => NullCounts.of(chunk).isDefined)
    val nullPages = new NullPages(chunk, rows, columnIndex, trustedCounts, offsetIndex)
    Array.tabulate(offsetIndex.getPageCount) { page =>
      if (nullPages.has(page)) LeafRange.AllNull
      else if (columnIndex.getNull_pages.get(page)) LeafRange.Unknown
      else {
        val max = columnIndex.getMax_values.get(page)
        // An index must have an entry for each page. ClickHouse and parquet-go write an empty one
        // for a bound that is too long for them.
        val isBounded = isOrdered && max.hasRemaining
        LeafRange(
          allNull = false,
          noNull = trustedCounts.exists(_.get(page) == 0L),
          min = if (isBounded) bytesOf(columnIndex.getMin_values.get(page)) else null,
          max = if (isBounded) bytesOf(max) else null,
          exact = false
        )
      }
    }
  }

  private def bytesOf(value: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](value.remaining)
    value.duplicate().get(bytes)
    bytes
  }
}
