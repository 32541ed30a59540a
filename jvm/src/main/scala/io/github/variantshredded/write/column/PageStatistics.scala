package io.github.variantshredded.write.column

import java.util.Arrays

import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.variant.LittleEndian
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.column.statistics.{SizeStatistics, Statistics}
import org.apache.parquet.internal.column.columnindex.BinaryTruncator
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/**
 * Collects the statistics of one page, value by value, for the footer and the column index.
 *
 * The binary columns of Variants (`value`, `metadata`) have no order that a predicate could use,
 * but the column index must have bounds for them. So their bounds are short.
 */
private[write] final class PageStatistics(column: ColumnDescriptor, props: ParquetProperties) {
  private val primitive = column.getPrimitiveType
  private val isEnabled = props.getStatisticsEnabled(column)
  private val sizesEnabled = props.getSizeStatisticsEnabled(column)

  // Signed numbers and unsigned bytes are compared here in the order that Parquet defines for them.
  private val isInt = primitive.getPrimitiveTypeName == PrimitiveTypeName.INT32
  private var hasNumber = false
  private var minNumber = 0L
  private var maxNumber = 0L
  private val least = new PageStatistics.Bound
  private val greatest = new PageStatistics.Bound
  private var hasBytes = false

  private val isTyped = Layout.All.exists(_.primitive == column.getPath.last)
  private val comparedBytes = if (isTyped) Int.MaxValue else PageStatistics.ResidualBytes + 1

  /** The statistics, which the values of all other types are added to directly. */
  private var others: Statistics[_] = newStatistics()

  private var nullCount = 0L
  private var contentBytes = 0L
  private val repetitions = new Array[Long](column.getMaxRepetitionLevel + 1)
  private val definitions = new Array[Long](column.getMaxDefinitionLevel + 1)

  def nulls: Long = nullCount

  /** Adds the levels of `count` values or nulls. */
  def addLevels(repetition: Int, definition: Int, count: Int): Unit = {
    if (definition < column.getMaxDefinitionLevel) nullCount += count
    repetitions(repetition) += count
    definitions(definition) += count
  }

  /** Adds a value of the type INT32 or INT64. */
  def addNumber(value: Long): Unit =
    if (!hasNumber) {
      hasNumber = true
      minNumber = value
      maxNumber = value
    } else if (value < minNumber) minNumber = value
    else if (value > maxNumber) maxNumber = value

  /** Adds a value of the type BINARY. */
  def addBytes(bytes: Array[Byte], pos: Int, length: Int): Unit = {
    contentBytes += length
    if (isEnabled) {
      val compared = math.min(length, comparedBytes)
      if (!hasBytes) {
        hasBytes = true
        least.set(bytes, pos, compared)
        greatest.set(bytes, pos, compared)
      } else {
        // For most values, the first bytes show that the value is between the two bounds.
        val start = PageStatistics.firstBytes(bytes, pos, compared)
        if (start <= least.start && least.compare(bytes, pos, compared) > 0)
          least.set(bytes, pos, compared)
        else if (start >= greatest.start && greatest.compare(bytes, pos, compared) < 0)
          greatest.set(bytes, pos, compared)
      }
    }
  }

  def addFloat(value: Float): Unit = others.updateStats(value)

  def addDouble(value: Double): Unit = others.updateStats(value)

  def addBoolean(value: Boolean): Unit = others.updateStats(value)

  def addFixed(value: Binary): Unit = others.updateStats(value)

  /** Returns the statistics of the values and nulls since the last [[reset]]. */
  def values(): Statistics[_] = {
    others.incrementNumNulls(nullCount)
    if (hasNumber) {
      if (isInt) {
        others.updateStats(minNumber.toInt)
        others.updateStats(maxNumber.toInt)
      } else {
        others.updateStats(minNumber)
        others.updateStats(maxNumber)
      }
    }
    if (hasBytes && isTyped) {
      others.updateStats(least.toBinary)
      others.updateStats(greatest.toBinary)
    } else if (hasBytes) {
      val truncator = BinaryTruncator.getTruncator(primitive)
      others.updateStats(truncator.truncateMin(least.toBinary, PageStatistics.ResidualBytes))
      others.updateStats(truncator.truncateMax(greatest.toBinary, PageStatistics.ResidualBytes))
    }
    others
  }

  /** Returns the statistics of levels and sizes since the last [[reset]]. */
  def sizes(): SizeStatistics = {
    val maxRepetition = column.getMaxRepetitionLevel
    val maxDefinition = column.getMaxDefinitionLevel
    if (sizesEnabled)
      new SizeStatistics(
        primitive,
        contentBytes,
        histogram(repetitions, maxRepetition > 0),
        histogram(definitions, maxDefinition > 1)
      )
    else SizeStatistics.noopBuilder(primitive, maxRepetition, maxDefinition).build()
  }

  // Parquet omits histograms that follow from the numbers of values and nulls.
  private def histogram(counts: Array[Long], isWritten: Boolean) = {
    val list = new java.util.ArrayList[java.lang.Long](counts.length)
    if (isWritten) counts.foreach(count => list.add(count))
    list
  }

  def reset(): Unit = {
    others = newStatistics()
    hasNumber = false
    hasBytes = false
    least.clear()
    greatest.clear()
    nullCount = 0
    contentBytes = 0
    Arrays.fill(repetitions, 0L)
    Arrays.fill(definitions, 0L)
  }

  private def newStatistics(): Statistics[_] =
    if (isEnabled) Statistics.createStats(primitive) else Statistics.noopStats(primitive)
}

private object PageStatistics {

  /** Holds a bound: a copy of the bytes of a value, or of its first bytes. */
  private final class Bound {
    private var bytes = Array.emptyByteArray
    private var length = 0

    /** The first eight bytes, as a number. */
    var start = 0L

    def set(source: Array[Byte], pos: Int, count: Int): Unit = {
      if (bytes.length < count) bytes = new Array[Byte](count + (count >> 1))
      System.arraycopy(source, pos, bytes, 0, count)
      length = count
      start = firstBytes(source, pos, count)
    }

    def compare(other: Array[Byte], pos: Int, count: Int): Int =
      Arrays.compareUnsigned(bytes, 0, length, other, pos, pos + count)

    def toBinary: Binary = Binary.fromConstantByteArray(Arrays.copyOf(bytes, length))

    def clear(): Unit = if (bytes.length > PageStatistics.KeptBytes) bytes = Array.emptyByteArray
  }

  private final val KeptBytes = 4096

  /** Length of the bounds of binary columns of Variants, in bytes. */
  private final val ResidualBytes = 8

  /**
   * Returns the first eight bytes as a number; zeros stand for missing bytes. Different numbers
   * have the same order as the bytes.
   */
  private def firstBytes(bytes: Array[Byte], pos: Int, length: Int): Long = {
    var number = 0L
    if (length >= 8) number = java.lang.Long.reverseBytes(LittleEndian.getLong(bytes, pos))
    else {
      var i = 0
      while (i < 8) {
        number = (number << 8) | (if (i < length) bytes(pos + i) & 0xff else 0)
        i += 1
      }
    }
    number ^ Long.MinValue
  }
}
