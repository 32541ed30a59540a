package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.ViewVector
import org.apache.spark.sql.types.{BinaryType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.Variant

/**
 * Returns a position as a Variant. It is rebuilt from the leaf columns of this position, and only
 * in slots that are read.
 *
 * @param asSpark
 *   whether it has the bytes that Spark's reader gives it (see [[SparkForm]])
 */
private[read] final class SubVariantColumn(
    reader: PositionReader,
    asSpark: Boolean,
    place: LocatedErrors
) extends ValueColumn {
  private var slots = 0
  // The last result in Spark's form is kept because Spark reads value and metadata of a slot one
  // after the other.
  private var lastSlot = -1
  private var last: Variant = _

  override def startBatch(slots: Int): Unit = {
    this.slots = slots
    lastSlot = -1
    reader.position.startBatch(slots)
  }

  private def inSparkForm(slot: Int): Variant = {
    if (slot != lastSlot) {
      val variant = reader.variant(slot)
      last =
        if (reader.hasTypedValue(slot)) SparkForm.ofTyped(variant)
        else SparkForm.ofResidual(variant)
      lastSlot = slot
    }
    last
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
    override def getBinary(slot: Int): Array[Byte] = place.located {
      if (asSpark) inSparkForm(slot).getValue else reader.value(slot)
    }
  }

  private val metadata = new Bytes {
    override def getBinary(slot: Int): Array[Byte] = place.located {
      if (asSpark) inSparkForm(slot).getMetadata else reader.plan(slot).bytes
    }
  }
}
