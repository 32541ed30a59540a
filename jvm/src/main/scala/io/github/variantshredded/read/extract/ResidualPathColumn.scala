package io.github.variantshredded.read.extract

import io.github.variantshredded.extraction.PathStep
import io.github.variantshredded.read._
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{BinaryType, BooleanType, DataType, VariantType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.types.variant.{Variant, VariantUtil}
import org.apache.spark.unsafe.types.VariantVal

/** Finds Variants at a path below a position whose `value` holds it. */
private[read] final class ResidualPath(
    source: Int => Variant,
    steps: Array[PathStep]
) {

  /** The Variant at the path; null where there is none. */
  def find(slot: Int): Variant = {
    var found = source(slot)
    var i = 0
    while (i < steps.length && found != null) {
      found = steps(i) match {
        case PathStep.Field(name) if found.getType == VariantUtil.Type.OBJECT =>
          found.getFieldByKey(name)
        case PathStep.Element(index) if found.getType == VariantUtil.Type.ARRAY =>
          found.getElementAtIndex(index)
        case _ => null
      }
      i += 1
    }
    found
  }
}

/** A path that ends in an untyped `value`, as any type but Variant. */
private[read] final class ResidualPathColumn(
    start: () => Unit,
    path: ResidualPath,
    isLive: () => Boolean,
    caster: VariantCaster,
    result: WritableColumnVector
) extends ValueColumn {
  private val appender = new ResultVector.Appender(result)
  private val nulls = NullColumn.vector(result.dataType)
  private var current: ColumnVector = nulls
  private var errors = new Array[SparkThrowable](0)
  private var anyFailed = false

  override def vector: ColumnVector = current

  override def failed: Boolean = anyFailed

  override def error(slot: Int): SparkThrowable = errors(slot)

  override def startBatch(slots: Int): Unit = {
    start()
    if (errors.length < slots) errors = new Array[SparkThrowable](slots)
    else if (anyFailed) java.util.Arrays.fill(errors.asInstanceOf[Array[AnyRef]], null)
    anyFailed = false
    if (!isLive()) current = nulls
    else {
      current = result
      appender.start(slots)
      var slot = 0
      while (slot < slots) {
        val found = path.find(slot)
        val value = if (found == null) null else caster.cast(found)
        if (found != null && caster.error != null) {
          errors(slot) = caster.error
          anyFailed = true
        }
        appender.append(value)
        slot += 1
      }
    }
  }

  override def close(): Unit = result.close()
}

/** A path that ends in an untyped `value`, as a Variant, or what is asked about one. */
private[read] final class ResidualVariantColumn(
    start: () => Unit,
    path: ResidualPath,
    isLive: () => Boolean,
    dataType: DataType,
    flag: Variant => Boolean,
    place: ErrorPlace
) extends ValueColumn {
  private var live = false
  private var slots = 0
  // The slot that was looked at last: null or not, value and metadata are asked for one by one.
  private var lastSlot = -1
  private var last: Variant = _
  private var lastValue: VariantVal = _

  override def startBatch(slots: Int): Unit = {
    start()
    this.slots = slots
    live = isLive()
    lastSlot = -1
  }

  private def find(slot: Int): Variant =
    if (!live) null
    else {
      if (slot != lastSlot) {
        last = place.located(path.find(slot))
        lastValue = null
        lastSlot = slot
      }
      last
    }

  private def value(slot: Int): VariantVal = {
    val found = find(slot)
    if (lastValue == null) lastValue = new VariantVal(found.getValue, found.getMetadata)
    lastValue
  }

  override val vector: ColumnVector =
    if (dataType == BooleanType) {
      new ViewVector(BooleanType) {
        override def hasNull: Boolean = false
        override def numNulls: Int = 0
        override def isNullAt(slot: Int): Boolean = false
        override def getBoolean(slot: Int): Boolean = flag(find(slot))
      }
    } else {
      new ViewVector(VariantType) {
        override def hasNull: Boolean = true
        override def numNulls: Int = (0 until slots).count(isNullAt)
        override def isNullAt(slot: Int): Boolean = find(slot) == null
        override def getChild(ordinal: Int): ColumnVector = children(ordinal)
      }
    }

  private lazy val children = Array(
    new Bytes { override def getBinary(slot: Int): Array[Byte] = value(slot).getValue },
    new Bytes { override def getBinary(slot: Int): Array[Byte] = value(slot).getMetadata }
  )

  private abstract class Bytes extends ViewVector(BinaryType) {
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(slot: Int): Boolean = find(slot) == null
  }
}
