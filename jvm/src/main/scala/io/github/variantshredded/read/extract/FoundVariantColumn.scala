package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.ViewVector
import org.apache.spark.sql.types.{BinaryType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector

/** What is found in untyped Variants, as a Variant; looked for in slots that are asked for. */
private[read] final class FoundVariantColumn(path: PathFinder, place: ErrorPlace)
    extends ValueColumn {
  private var slots = 0
  // Null or not, value and metadata of a slot are asked for one by one.
  private var lastSlot = -1
  private var lastFound = false

  override def startBatch(slots: Int): Unit = {
    path.source.startBatch(slots)
    this.slots = slots
    lastSlot = -1
  }

  private def find(slot: Int): Boolean = path.source.isLive && {
    if (slot != lastSlot) {
      lastFound = place.located(path.find(slot))
      lastSlot = slot
    }
    lastFound
  }

  private abstract class Bytes extends ViewVector(BinaryType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = !find(slot)
  }

  private val value = new Bytes {
    override def getBinary(slot: Int): Array[Byte] = if (find(slot)) path.value else null
  }

  private val metadata = new Bytes {
    override def getBinary(slot: Int): Array[Byte] =
      if (find(slot)) path.source.plan.bytes else null
  }

  override val vector: ColumnVector = new ViewVector(VariantType) {
    override def hasNull: Boolean = true
    override def numNulls: Int = (0 until slots).count(isNullAt)
    override def isNullAt(slot: Int): Boolean = !find(slot)
    override def getChild(ordinal: Int): ColumnVector = if (ordinal == 0) value else metadata
  }
}
