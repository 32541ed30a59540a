package io.github.variantshredded.write.file

import io.github.variantshredded.write.column.RowGroupMemory
import org.apache.parquet.column.ParquetProperties

/**
 * Decides when a row group ends: when it holds `target` bytes in memory, with compressed pages, or
 * as many rows as the settings allow.
 *
 * The size is not measured after every row. It is checked again once half of the bytes that are
 * left have arrived, or half of the rows that would still fit if all rows had the same size.
 *
 * @param share
 *   the memory that the file may use; the row group ends earlier if this is less than `target`
 */
private[file] final class RowGroupSize(
    target: Long,
    share: RowGroupMemory.Share,
    limits: ParquetProperties
) {
  private val maxRows = limits.getRowGroupRowCountLimit.toLong
  private var count = 0L
  private var nextCount = limits.getMinRowCountForPageSizeCheck.toLong

  // The bytes that have arrived since the size was last checked, and those that may arrive before
  // it is checked again.
  private var bytes = 0L
  private var nextBytes = math.min(target, share.bytes) / 2

  /** Returns the number of rows. */
  def rows: Long = count

  /** Counts a row of `size` bytes, in the form in which it arrived. */
  def add(size: Int): Unit = {
    count += 1
    bytes += size
  }

  /** Returns true if the caller has to measure the row group, and to call [[isFull]]. */
  def isCheckDue: Boolean = count >= nextCount || bytes >= nextBytes || count >= maxRows

  /**
   * Returns true if the row group ends after the last row.
   *
   * @param held
   *   the bytes that the row group holds in memory
   */
  def isFull(held: Long): Boolean = {
    val left = math.min(target, share.bytes) - held
    val rowSize = math.max(held / count, 1L)
    // parquet-java's rule: a row group is rather too small than too large.
    val isFull = count >= maxRows || left < 2 * rowSize
    if (!isFull) {
      val few = limits.getMinRowCountForPageSizeCheck.toLong
      val many = limits.getMaxRowCountForPageSizeCheck.toLong
      nextCount = count + math.min(math.max(left / rowSize / 2, few), many)
      bytes = 0
      nextBytes = math.max(left / 2, target / RowGroupSize.Exactness)
    }
    isFull
  }
}

private object RowGroupSize {

  /** A row group may exceed its size by this fraction (a 64th) and by a row. */
  private final val Exactness = 64
}
