package io.github.variantshredded.read.decode

import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Holds a column with the same value in every row of the file: a missing column, or a partition
 * value.
 */
private[read] final class ConstantColumn(override val vector: ColumnVector) extends OutputColumn {
  override def startRowGroup(rowGroup: RowGroup): Unit = ()
  override def readBatch(rows: Int): Unit = ()
  override def close(): Unit = vector.close()
}
