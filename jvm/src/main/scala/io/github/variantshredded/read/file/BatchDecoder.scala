package io.github.variantshredded.read.file

import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.read.decode.{OutputColumn, RowGroup}
import io.github.variantshredded.read.pages.{BoundedPages, ChunkFetcher, RowSelection}
import org.apache.parquet.column.page.PageReadStore
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/**
 * Decodes some columns of a file as batches: row group after row group, all rows of it or a
 * selection.
 *
 * @param constants
 *   columns that are the same in all rows; they follow the data columns
 * @param maxRows
 *   rows in a batch at most; where they are large, a batch has fewer, see [[BatchDecoder.rows]]
 */
private[read] final class BatchDecoder(
    columns: FileColumns,
    constants: Array[OutputColumn],
    fetcher: ChunkFetcher,
    maxRows: Int
) extends AutoCloseable {
  private val outputs: Array[OutputColumn] = columns.columns ++ constants ++ columns.extracted
  private val variants = columns.variants.toArray
  // A column may put another vector into the array for the next batch.
  private val vectors = outputs.map(_.vector: ColumnVector)

  private var pages: PageReadStore = _
  private var rowGroup = -1
  private var batchRows = maxRows

  /** The rows decoded last; valid until the next are. */
  val batch: ColumnarBatch = new ColumnarBatch(vectors)

  /** Rows of the row group that are still to be decoded. */
  var rowsLeft: Long = 0L

  /**
   * Goes on to a row group, of which nothing is fetched yet.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the footer says of it what cannot be
   */
  def startRowGroup(index: Int): Unit = {
    fetcher.startRowGroup(index)
    rowGroup = index
    rowsLeft = 0
  }

  /** Rows of the row group. */
  def rowCount: Long = fetcher.rowCount

  /** Compressed bytes of what would be fetched of the row group. */
  def size: Long = fetcher.size

  /** Whether it can decode a selection of the row group, not just all of it. */
  def canSelect: Boolean = fetcher.hasPages

  /**
   * Fetches what is needed of the row group.
   *
   * @param selection
   *   the rows to decode, some at least; where [[canSelect]] is false, all
   */
  def startRows(selection: RowSelection): Unit = {
    closePages()
    if (!fetcher.isEmpty) {
      val someRows = Option.unless(fetcher.isWhole(selection))(selection)
      pages = new BoundedPages(fetcher.fetch(selection), columns.shared, someRows)
    }
    val started = new RowGroup(rowGroup, pages, fetcher.skipped)
    variants.foreach(_.startRowGroup(started))
    outputs.foreach(_.startRowGroup(started))
    rowsLeft = selection.size
    val leaves = Option.when(columns.hasVariants)(fetcher.leafCount)
    batchRows = BatchDecoder.rows(fetcher.uncompressedSize, fetcher.rowCount, leaves, maxRows)
  }

  /** Decodes the next rows, of which there must be some. */
  def readBatch(): Unit = {
    val rows = math.min(rowsLeft, batchRows.toLong).toInt
    columns.startBatch()
    var i = 0
    while (i < variants.length) {
      variants(i).readBatch(rows)
      i += 1
    }
    i = 0
    while (i < outputs.length) {
      outputs(i).readBatch(rows)
      vectors(i) = outputs(i).vector
      i += 1
    }
    rowsLeft -= rows
    batch.setNumRows(rows)
  }

  /** Makes the batch empty. */
  def clear(): Unit = {
    batch.setNumRows(0)
    columns.startBatch()
  }

  override def close(): Unit = {
    outputs.foreach(_.close())
    variants.foreach(_.close())
    closePages()
  }

  private def closePages(): Unit = if (pages != null) {
    pages.close()
    pages = null
  }
}

private[read] object BatchDecoder {

  /** A batch is not larger, unless a row is: 4,096 Variants of 1 MB fit into no array. */
  private final val MaxBytes = 16L << 20

  /** Bytes that stay in the processor's cache while Variants are rebuilt from them, row by row. */
  private final val CachedBytes = 128L << 10

  /** With fewer rows, what is done once a batch would tell. */
  private final val CachedRows = 256L

  /**
   * Rows in a batch.
   *
   * @param size
   *   bytes of all rows, decompressed
   * @param count
   *   number of all rows
   * @param leaves
   *   number of leaves that Variants are rebuilt from, where some are
   * @param most
   *   the number for small rows
   */
  def rows(size: Long, count: Long, leaves: Option[Int], most: Int): Int = {
    val average = math.max(1L, size / math.max(1L, count))
    val cached = leaves.map(n => math.max(math.max(CachedRows, n.toLong), CachedBytes / average))
    val wanted = math.min(most.toLong, cached.getOrElse(Long.MaxValue))
    math.min(wanted, math.max(1L, MaxBytes / average)).toInt
  }
}
