package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.{FetchedRowGroup, OutputColumn}
import io.github.variantshredded.read.vector.ErrorVector
import org.apache.spark.sql.vectorized.ColumnVector

/** Puts the vector of one extraction, and the errors of its casts, into the batches of a reader. */
private[read] final class ExtractionOutput(
    column: ValueColumn,
    index: Int,
    errors: ErrorVector
) extends OutputColumn {
  override def vector: ColumnVector = column.vector

  override def startRowGroup(rowGroup: FetchedRowGroup): Unit = column.startRowGroup()

  override def readBatch(rows: Int): Unit = {
    column.startBatch(rows)
    if (column.failed) {
      var slot = 0
      while (slot < rows) {
        val error = column.error(slot)
        if (error != null) errors.add(slot, index, error)
        slot += 1
      }
    }
  }

  override def close(): Unit = column.close()
}
