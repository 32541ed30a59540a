package io.github.variantshredded.write.column

import org.apache.parquet.column.ParquetProperties

/**
 * Holds the leaf columns of the Variants in one row group, and ends their pages: at
 * `parquet.page.size` bytes, `parquet.page.row.count.limit` rows or
 * `parquet.page.value.count.threshold` values.
 *
 * Pages are not measured after every row. They are checked again once enough bytes have arrived to
 * fill a page, or after half of the rows that would still fit if rows had the same size as before.
 *
 * @param settle
 *   writes all nulls that are still held back; called before pages end
 */
private[write] final class LeafStore(
    leaves: Array[LeafWriter],
    props: ParquetProperties,
    settle: () => Unit
) {
  import LeafStore._

  private val pageSize = props.getPageSizeThreshold.toLong
  private val fullSize = pageSize - pageSize / FullShare
  private val rowLimit = props.getPageRowCountLimit.toLong
  private val valueLimit = props.getPageValueCountThreshold

  private var rows = 0L
  private var nextRows = math.min(props.getMinRowCountForPageSizeCheck.toLong, rowLimit)
  private var bytes = 0L
  private var nextBytes = fullSize

  /** Adds to the bytes of the current row. */
  def addBytes(count: Int): Unit = bytes += count

  /** Returns whether pages may end with the current row. */
  def isCheckDue: Boolean = rows + 1 >= nextRows || bytes >= nextBytes

  /** Ends a row, and the pages that are full. */
  def endRow(): Unit = {
    val isDue = isCheckDue
    rows += 1
    if (isDue) check()
  }

  private def check(): Unit = {
    settle()
    var rowsToWait = Long.MaxValue
    var bytesToWait = fullSize
    var rowsToLimit = rowLimit
    var i = 0
    while (i < leaves.length) {
      val leaf = leaves(i)
      val size = leaf.pageSize
      val pageRows = rows - leaf.rowsBefore
      if (size >= fullSize || pageRows >= rowLimit || leaf.pageValues >= valueLimit) leaf.endPage()
      else {
        val left = pageSize - size
        bytesToWait = math.min(bytesToWait, left)
        rowsToLimit = math.min(rowsToLimit, rowLimit - pageRows)
        rowsToWait = math.min(rowsToWait, pageRows * left / math.max(size, 1L))
      }
      i += 1
    }
    val few = props.getMinRowCountForPageSizeCheck.toLong
    val many = props.getMaxRowCountForPageSizeCheck.toLong
    val wait =
      if (props.estimateNextSizeCheck) math.min(math.max(rowsToWait / 2, few), many) else few
    nextRows = rows + math.min(wait, rowsToLimit)
    bytes = 0
    nextBytes = bytesToWait
  }

  /** Returns the number of bytes that are held in memory. */
  def bufferedSize: Long = {
    var size = 0L
    var i = 0
    while (i < leaves.length) {
      size += leaves(i).bufferedSize
      i += 1
    }
    size
  }

  /** Ends the row group. */
  def endChunks(): Unit = {
    settle()
    leaves.foreach(_.endChunk())
  }
}

private object LeafStore {

  /** A page is full if less than this fraction of it is left: a tenth. */
  private final val FullShare = 10
}
