package io.github.variantshredded.read.extract

import io.github.variantshredded.read.position.{LocatedErrors, PositionReader}
import io.github.variantshredded.read.vector.ViewVector
import org.apache.spark.sql.types.{BinaryType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Returns a position as a Variant. It is rebuilt from the leaf columns of this position, and only
 * in slots that are read.
 */
private[read] final class SubVariantColumn(reader: PositionReader, errors: LocatedErrors)
    extends ValueColumn {
  private var slots = 0

  override def startBatch(slots: Int): Unit = {
    this.slots = slots
    reader.position.startBatch(slots)
  }

  override val vector: ColumnVector = new ViewVector(VariantType) {
    override def hasNull: Boolean = true
    override def numNulls: Int = (0 until slots).count(isNullAt)
    override def isNullAt(slot: Int): Boolean = !reader.isPresent(slot)
    override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
  }

  private abstract class Bytes extends ViewVector(BinaryType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = !reader.isPresent(slot)
  }

  private val value = new Bytes {
    override def getBinary(slot: Int): Array[Byte] = errors.located(reader.value(slot))
  }

  private val metadata = new Bytes {
    override def getBinary(slot: Int): Array[Byte] = errors.located(reader.metadataOf(slot))
  }
}
