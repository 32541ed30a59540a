package io.github.variantshredded.write.column

import org.apache.parquet.bytes.BytesInput

/**
 * Encodes small non-negative integers in Parquet's hybrid of run-length encoding and bit packing:
 * repetition and definition levels, and indexes of dictionaries. A run takes the same time and
 * space however long it is, whereas parquet-java's encoder is called once per value.
 *
 * @param bitWidth
 *   bits of the largest value, 0 to 32
 */
private[write] final class HybridEncoder(bitWidth: Int) {
  import HybridEncoder._

  private val out = new ByteSink(64)

  // The current run.
  private var runValue = 0
  private var runLength = 0

  // Values of the next group of eight; if eight values fit into a Long, they are packed at once.
  private val isNarrow = bitWidth <= NarrowWidth
  private var packed = 0L
  private val group = if (isNarrow) Array.emptyIntArray else new Array[Int](GroupSize)
  private var groupFill = 0

  // A factor by which a narrow value is repeated eight times.
  private val eightTimes = {
    var ones = 0L
    (0 until GroupSize).foreach(i => if (isNarrow) ones |= 1L << (i * bitWidth))
    ones
  }

  // Position of the header of the bit-packed run, or -1, and the number of its groups.
  private var packedHeader = -1
  private var packedGroups = 0

  /** Returns the approximate number of bytes written so far. */
  def size: Int = out.size + 8

  def allocated: Int = out.capacity

  def add(value: Int): Unit =
    if (value == runValue) runLength += 1
    else {
      endRun()
      runValue = value
      runLength = 1
    }

  def addRun(value: Int, count: Int): Unit =
    if (value == runValue) runLength += count
    else {
      endRun()
      runValue = value
      runLength = count
    }

  /** Returns all values since the last [[reset]]; call [[reset]] before adding others. */
  def finish(): BytesInput = {
    endRun()
    if (groupFill > 0) {
      put(0, GroupSize - groupFill)
      packGroup()
    }
    endPacked()
    out.toInput
  }

  def reset(): Unit = {
    out.reset(64)
    runValue = 0
    runLength = 0
    packed = 0
    groupFill = 0
    packedHeader = -1
    packedGroups = 0
  }

  private def endRun(): Unit = {
    var left = runLength
    // A run-length encoded run can only begin at the end of a group.
    if (groupFill > 0 && left > 0) left -= fill(left)
    if (left >= GroupSize) {
      endPacked()
      out.putVarInt(left << 1)
      var shift = 0
      while (shift < bitWidth) {
        out.putByte(runValue >>> shift)
        shift += 8
      }
    } else if (left > 0) fill(left)
    runLength = 0
  }

  // Adds as much of the run to the group as fits.
  private def fill(count: Int): Int = {
    val taken = math.min(count, GroupSize - groupFill)
    put(runValue, taken)
    if (groupFill == GroupSize) packGroup()
    taken
  }

  private def put(value: Int, count: Int): Unit = {
    if (isNarrow) {
      val repeated = (value * eightTimes) & ((1L << (count * bitWidth)) - 1)
      packed |= (if (count == GroupSize) value * eightTimes else repeated) << (groupFill * bitWidth)
    } else {
      var i = groupFill
      while (i < groupFill + count) {
        group(i) = value
        i += 1
      }
    }
    groupFill += count
  }

  private def packGroup(): Unit = {
    if (packedGroups == MaxGroups) endPacked()
    if (packedHeader < 0) {
      packedHeader = out.size
      out.putByte(0)
    }
    if (isNarrow) {
      out.putLowBytes(packed, bitWidth)
      packed = 0
    } else packWide()
    groupFill = 0
    packedGroups += 1
  }

  private def packWide(): Unit = {
    var bits = 0L
    var count = 0
    var i = 0
    while (i < GroupSize) {
      bits |= group(i).toLong << count
      count += bitWidth
      while (count >= 8) {
        out.putByte(bits.toInt)
        bits >>>= 8
        count -= 8
      }
      i += 1
    }
  }

  private def endPacked(): Unit = if (packedHeader >= 0) {
    out.setByte(packedHeader, (packedGroups << 1) | 1)
    packedHeader = -1
    packedGroups = 0
  }
}

private[write] object HybridEncoder {
  private final val GroupSize = 8

  /** Most bits of a value with which eight values fit into a Long. */
  private final val NarrowWidth = 7

  /** Most groups of a bit-packed run, so that its header takes one byte. */
  private final val MaxGroups = 63

  /** Returns the number of bits of the numbers from 0 to `max`. */
  def bitWidth(max: Int): Int = 32 - Integer.numberOfLeadingZeros(max)
}
