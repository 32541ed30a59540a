package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.PositionVectors
import io.github.variantshredded.read.vector.ViewVector
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.vectorized.ColumnVector

/** Computes a Boolean column slot by slot. */
private[read] final class FlagColumn(position: PositionVectors, flag: Int => Boolean)
    extends ValueColumn {
  override def startBatch(slots: Int): Unit = position.startBatch(slots)

  override val vector: ColumnVector = new ViewVector(BooleanType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = false
    override def getBoolean(slot: Int): Boolean = flag(slot)
  }
}
