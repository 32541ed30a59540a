package io.github.variantshredded.read.extract

import io.github.variantshredded.read.vector.NullVector
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnVector

/** Stands for a field that the file does not have: all slots are null. */
private[read] final class NullColumn(dataType: DataType) extends ValueColumn {
  override val vector: ColumnVector = NullVector(dataType)
  override def startBatch(slots: Int): Unit = ()
}
