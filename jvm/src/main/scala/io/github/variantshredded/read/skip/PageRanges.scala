package io.github.variantshredded.read.skip

import java.nio.ByteBuffer

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.pages.{FileBytes, PageIndexes, RowSelection}
import org.apache.parquet.format.ColumnIndex
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.schema.ColumnOrder.ColumnOrderName

/** What is known of the pages of one column chunk, and which rows they hold. */
private[skip] final class PageRanges(ranges: Array[LeafRange], index: OffsetIndex, rows: Long) {

  /** The rows of the pages that may meet a test. */
  def rows(test: LeafTest): RowSelection = {
    val builder = new RowSelection.Builder
    var page = 0
    while (page < ranges.length) {
      if (test.mayBeTrue(ranges(page))) {
        builder.add(index.getFirstRowIndex(page), index.getLastRowIndex(page, rows) + 1)
      }
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
   *   of the row group
   * @return
   *   None if the file lacks one of them
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` for indexes that cannot be true
   */
  def read(chunk: ColumnChunkMetaData, rows: Long, file: FileBytes): Option[PageRanges] = for {
    columnIndex <- PageIndexes.columnIndex(chunk, file)
    offsetIndex <- PageIndexes.offsetIndex(chunk, rows, file)
  } yield of(chunk, rows, columnIndex, offsetIndex)

  /**
   * See [[read]].
   *
   * @param offsetIndex
   *   checked
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
        s"The column index is of ${sizes.distinct.mkString(" and ")} pages, the offset index of " +
          s"$pages.",
        ErrorLocation(column = Some(chunk.getPath.toArray.mkString(".")))
      )
    }
    // Else nobody can tell by what order the least and the greatest were found.
    val isOrdered =
      chunk.getPrimitiveType.columnOrder.getColumnOrderName == ColumnOrderName.TYPE_DEFINED_ORDER
    val ranges = Array.tabulate(pages) { page =>
      val allNull: Boolean = columnIndex.getNull_pages.get(page)
      if (allNull) LeafRange.AllNull
      else {
        LeafRange(
          allNull = false,
          noNull = nullCounts.exists(_.get(page) == 0L),
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
