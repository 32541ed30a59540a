package io.github.variantshredded.read.decode

import org.apache.spark.sql.vectorized.ColumnVector

/** A column that is the same in every row of the file: missing, or a partition value. */
private[read] final class ConstantColumn(override val vector: ColumnVector) extends OutputColumn {
  override def startRowGroup(rowGroup: RowGroup): Unit = ()
  override def readBatch(rows: Int): Unit = ()
  override def close(): Unit = vector.close()
}
