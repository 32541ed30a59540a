package io.github.variantshredded.read.extract

import io.github.variantshredded.read.{NullVector, ViewVector}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{BinaryType, BooleanType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.Variant

/** What is found in untyped Variants, as any type but Variant. */
private[read] final class FoundColumn(
    path: PathFinder,
    caster: VariantCaster,
    result: WritableColumnVector
) extends ValueColumn {
  private val isAtomic = !ResultVector.isNested(result.dataType)
  private val cast = new UntypedCast(caster, result)
  private val appender = new ResultVector.Appender(result)
  private val nulls = NullVector(result.dataType)
  private var current: ColumnVector = nulls
  private var errors: Array[SparkThrowable] = _

  override def vector: ColumnVector = current

  override def failed: Boolean = errors != null

  override def error(slot: Int): SparkThrowable = if (errors == null) null else errors(slot)

  override def startBatch(slots: Int): Unit = {
    path.source.startBatch(slots)
    errors = null
    if (!path.source.isLive) current = nulls
    else {
      current = result
      appender.start(slots)
      var slot = 0
      while (slot < slots) {
        val isFound = path.find(slot)
        if (isAtomic && isFound) {
          note(
            slot,
            slots,
            cast.put(slot, path.source.bytes, path.start, path.end, path.source.plan)
          )
        } else if (isFound) {
          val value = caster.cast(new Variant(path.value, path.source.plan.bytes))
          note(slot, slots, caster.error)
          appender.append(value)
        } else if (isAtomic) result.putNull(slot)
        else appender.append(null)
        slot += 1
      }
    }
  }

  private def note(slot: Int, slots: Int, error: SparkThrowable): Unit = if (error != null) {
    if (errors == null) errors = new Array[SparkThrowable](slots)
    errors(slot) = error
  }

  override def close(): Unit = result.close()
}

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

/** Whether something is found in untyped Variants, or a Variant null is. */
private[read] final class FoundFlagColumn(
    path: PathFinder,
    asksForNull: Boolean,
    place: ErrorPlace
) extends ValueColumn {
  override def startBatch(slots: Int): Unit = path.source.startBatch(slots)

  override val vector: ColumnVector = new ViewVector(BooleanType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = false
    override def getBoolean(slot: Int): Boolean = path.source.isLive &&
      place.located(path.find(slot)) && (!asksForNull || path.isVariantNull)
  }
}
