package io.github.variantshredded.read.file

import io.github.variantshredded.read.pages.RowSelection
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.datasources.PartitionedFile

/**
 * Says which rows of its files a table still has. Tables such as those of Delta Lake can mark rows
 * as deleted without writing the file anew.
 */
trait LiveRows extends Serializable {

  /**
   * Returns the live rows of a file, or None if all of its rows are live. What says which rows are
   * live is not read before the rows are asked for.
   */
  def of(file: PartitionedFile, conf: Configuration): Option[LiveRows.OfFile]
}

object LiveRows {

  /** Finds the live rows of one file. */
  trait OfFile {

    /**
     * Writes for each of the rows `[first, first + count)` whether it is live.
     *
     * @param first
     *   number of a row in the file, counted from 0
     * @param isLive
     *   at least `count` elements
     */
    def read(first: Long, count: Int, isLive: Array[Boolean]): Unit
  }

  private final val Chunk = 8192

  /** Returns the live rows of a row group. */
  private[file] def select(rows: OfFile, firstRow: Long, rowCount: Long): RowSelection = {
    val isLive = new Array[Boolean](math.min(rowCount, Chunk.toLong).toInt)
    val selection = new RowSelection.Builder
    var from = 0L
    while (from < rowCount) {
      val count = math.min(rowCount - from, Chunk.toLong).toInt
      rows.read(firstRow + from, count, isLive)
      var start = 0
      while (start < count) {
        var end = start
        while (end < count && isLive(end)) end += 1
        if (end > start) selection.add(from + start, from + end)
        start = end + 1
      }
      from += count
    }
    selection.result()
  }
}
