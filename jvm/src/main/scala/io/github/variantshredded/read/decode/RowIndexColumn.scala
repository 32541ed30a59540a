package io.github.variantshredded.read.decode

import io.github.variantshredded.read.pages.RowSelection
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.LongType

/**
 * Makes the numbers that the rows of a batch have in their file, from the selected rows of the row
 * group.
 *
 * @param firstRow
 *   the number of the first row of each row group in the file
 */
private[read] final class RowIndexColumn(firstRow: Int => Long, settings: DecoderSettings)
    extends OutputColumn {

  override val vector: WritableColumnVector = settings.newVector(LongType)

  private var first = 0L
  private var rows = RowSelection.empty
  private var run = 0
  // The next row to be decoded, counted from the first row of the row group.
  private var row = 0L

  override def startRowGroup(rowGroup: FetchedRowGroup): Unit = {
    first = firstRow(rowGroup.index)
    rows = rowGroup.rows
    startRun(0)
  }

  override def readBatch(count: Int): Unit = {
    var slot = 0
    while (slot < count) {
      val until = slot + math.min(rows.end(run) - row, (count - slot).toLong).toInt
      while (slot < until) {
        vector.putLong(slot, first + row)
        row += 1
        slot += 1
      }
      if (row == rows.end(run)) startRun(run + 1)
    }
  }

  override def close(): Unit = vector.close()

  private def startRun(next: Int): Unit = {
    run = next
    if (run < rows.runs) row = rows.start(run)
  }
}
