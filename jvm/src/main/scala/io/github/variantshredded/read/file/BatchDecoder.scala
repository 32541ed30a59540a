package io.github.variantshredded.read.file

import io.github.variantshredded.read.columns.ColumnDecoders
import io.github.variantshredded.read.decode.{FetchedRowGroup, OutputColumn}
import io.github.variantshredded.read.pages.{BoundedPages, ByteRange, ChunkFetcher, RowSelection}
import org.apache.parquet.column.page.PageReadStore
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/**
 * Decodes columns of a file as batches. For each row group, it decodes all rows or a selection.
 *
 * @param decoders
 *   the decoders of the data columns and extractions
 * @param unfetched
 *   columns whose values are not in the leaf columns: partition columns and `_metadata`; they follow
 *   the data columns
 * @param fetcher
 *   fetches the leaf columns that the decoders read
 * @param maxRows
 *   maximum number of rows in a batch; a batch of large rows has fewer (see [[BatchDecoder.rows]])
 */
private[read] final class BatchDecoder(
    decoders: ColumnDecoders,
    unfetched: Array[OutputColumn],
    fetcher: ChunkFetcher,
    maxRows: Int
) extends AutoCloseable {
  private val outputs: Array[OutputColumn] =
    decoders.ofColumns ++ unfetched ++ decoders.ofExtractions
  private val variants = decoders.ofVariants.toArray
  // A column may use another vector for the next batch; readBatch then replaces it in this array.
  private val vectors = outputs.map(_.vector: ColumnVector)

  private var pages: PageReadStore = _
  private var rowGroup = -1
  private var batchRows = maxRows

  /** The rows that were decoded last. They are valid until the next batch is decoded. */
  val batch: ColumnarBatch = new ColumnarBatch(vectors)

  /** The number of selected rows that are still to be decoded. */
  var rowsLeft: Long = 0L

  /**
   * Moves to a row group. Nothing is fetched yet.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if an entry of the footer is impossible
   */
  def startRowGroup(index: Int): Unit = {
    fetcher.startRowGroup(index)
    rowGroup = index
    rowsLeft = 0
  }

  /** Returns the number of rows in the row group. */
  def rowCount: Long = fetcher.rowCount

  /** Returns the compressed bytes that fetching the whole row group would read. */
  def size: Long = fetcher.size

  /** Returns the bytes that decoding rows of a row group would read; see [[ChunkFetcher.ranges]]. */
  def ranges(rowGroup: Int, selection: RowSelection): Seq[ByteRange] =
    fetcher.ranges(rowGroup, selection)

  /** Returns true if a selection of rows can be decoded; otherwise only the whole row group can. */
  def canSelect: Boolean = fetcher.hasPages

  /**
   * Fetches the selected rows.
   *
   * @param selection
   *   the rows to decode; not empty, and all rows if [[canSelect]] is false
   */
  def startRows(selection: RowSelection): Unit = {
    closePages()
    if (!fetcher.isEmpty) {
      val someRows = Option.unless(fetcher.isWhole(selection))(selection)
      pages = new BoundedPages(fetcher.fetch(selection), decoders.columns.shared, someRows)
    }
    val started = new FetchedRowGroup(rowGroup, pages, selection, fetcher.skipped)
    variants.foreach(_.startRowGroup(started))
    outputs.foreach(_.startRowGroup(started))
    rowsLeft = selection.size
    val leaves = Option.when(decoders.columns.hasVariants)(fetcher.leafCount)
    batchRows = BatchDecoder.rows(
      fetcher.uncompressedSize,
      fetcher.decodedSize,
      fetcher.rowCount,
      leaves,
      maxRows
    )
  }

  /**
   * Decodes the next batch. There must be rows left.
   *
   * @param most
   *   maximum number of rows, more than 0
   */
  def readBatch(most: Long = Long.MaxValue): Unit = {
    val rows = math.min(math.min(rowsLeft, most), batchRows.toLong).toInt
    decoders.startBatch()
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
    decoders.startBatch()
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

  /**
   * The maximum number of bytes in a batch, unless a single row is larger. 4,096 Variants of 1 MB
   * would not fit into one array.
   */
  private final val MaxBytes = 16L << 20

  /**
   * The number of bytes that stay in the processor's cache while Variants are rebuilt row by row.
   */
  private final val CachedBytes = 128L << 10

  /**
   * The minimum number of rows for batches of this size. With fewer rows, the work per batch would
   * become noticeable.
   */
  private final val CachedRows = 256L

  /**
   * Returns the number of rows in a batch.
   *
   * @param size
   *   uncompressed bytes of all rows
   * @param decoded
   *   the same in vectors, where a value of a dictionary is copied to each of its rows
   * @param count
   *   number of all rows
   * @param leaves
   *   number of leaf columns if whole Variants are rebuilt; otherwise None
   * @param most
   *   maximum number of rows
   */
  def rows(size: Long, decoded: Long, count: Long, leaves: Option[Int], most: Int): Int = {
    def average(bytes: Long) = math.max(1L, bytes / math.max(1L, count))
    val cached =
      leaves.map(n => math.max(math.max(CachedRows, n.toLong), CachedBytes / average(size)))
    val wanted = math.min(most.toLong, cached.getOrElse(Long.MaxValue))
    math.min(wanted, math.max(1L, MaxBytes / average(decoded))).toInt
  }
}
