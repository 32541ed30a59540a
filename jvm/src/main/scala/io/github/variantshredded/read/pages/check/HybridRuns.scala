package io.github.variantshredded.read.pages.check

import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.parquet.column.values.bitpacking.{BytePacker, Packer}

/**
 * Reads the runs of Parquet's hybrid encoding of run-length and bit-packed values, which stores
 * levels, dictionary ids and booleans. Checks that the page has the bytes that each run claims.
 *
 * @param width
 *   bits per value, 1 to 32
 */
private[read] final class HybridRuns(width: Int) {
  import HybridRuns._

  private val valueBytes = (width + 7) / 8

  // Several packed values that fit into a Long form a step and are compared together. A step has a
  // multiple of eight values, or four.
  private val inStep = valuesInStep(width)
  private val lowest = if (width <= MaxInStep) LowestBits(width) else 0L
  private val stepBits = (1L << (inStep * width - 1) << 1) - 1

  private lazy val packer: BytePacker = Packer.LITTLE_ENDIAN.newBytePacker(width)
  private lazy val unpacked = new Array[Int](8)

  // The current run: whether it is bit-packed, its number of values, and the position of its bytes.
  private var isPacked = false
  private var length = 0L
  private var at = 0

  /**
   * Returns the number of values in the runs before the first run without values. What follows such
   * a run cannot be decoded: Spark's decoder returns the value of the run, and loses its place.
   *
   * @param most
   *   stops after the run in which this number is reached
   */
  def count(in: ByteBuffer, most: Long = Long.MaxValue): Long = {
    var count = 0L
    var isEmpty = false
    while (in.hasRemaining && count < most && !isEmpty) {
      next(in)
      count += length
      isEmpty = length == 0
    }
    count
  }

  /**
   * Returns how many of the first `values` values equal `wanted`. The runs must have at least
   * `values` values.
   */
  def countOf(in: ByteBuffer, wanted: Int, values: Int): Int = {
    val bytes = in.order(ByteOrder.LITTLE_ENDIAN)
    var found = 0L
    var left = values.toLong
    while (left > 0) {
      next(bytes)
      val own = math.min(length, left)
      if (isPacked) found += countPacked(bytes, wanted, own.toInt)
      else if (repeated(bytes) == wanted) found += own
      left -= own
    }
    found.toInt
  }

  /**
   * Returns the index of the first value that is at least `bound` (unsigned); -1 if there is none.
   *
   * @param most
   *   ends behind the run that reaches it
   */
  def firstFrom(in: ByteBuffer, bound: Int, most: Long = Long.MaxValue): Long = {
    // A repeated value is stored in whole bytes, so it can be greater than `width` bits allow.
    val mayPack = width >= 31 || (1 << width) > bound
    val bytes = in.order(ByteOrder.LITTLE_ENDIAN)
    var before = 0L
    var found = -1L
    while (bytes.hasRemaining && before < most && found < 0) {
      next(bytes)
      val offset =
        if (!isPacked) firstRepeated(bytes, bound)
        else if (!mayPack || (bound > 0 && width <= MaxInStep && !hasFrom(bytes, bound))) -1
        else firstPacked(bytes, bound)
      if (offset >= 0) found = before + offset
      before += length
    }
    found
  }

  private def next(in: ByteBuffer): Unit = {
    val header = unsigned(in)
    isPacked = (header & 1) == 1
    val half = header >>> 1
    val bytes = if (isPacked) half * width else valueBytes.toLong
    if (bytes > in.remaining) {
      throw corrupt(s"A run claims $bytes bytes of a page that has ${in.remaining} left.")
    }
    at = in.position()
    length = valuesOf(header)
    in.position(at + bytes.toInt): Unit
  }

  /** Returns the value of a run-length run. */
  private def repeated(in: ByteBuffer): Int = {
    var value = 0
    var i = 0
    while (i < valueBytes) {
      value |= (in.get(at + i) & 0xff) << (8 * i)
      i += 1
    }
    value
  }

  private def firstRepeated(in: ByteBuffer, bound: Int): Int =
    if (length > 0 && Integer.compareUnsigned(repeated(in), bound) >= 0) 0 else -1

  private def firstPacked(in: ByteBuffer, bound: Int): Int = {
    val groups = (length / 8).toInt
    var group = 0
    var found = -1
    while (group < groups && found < 0) {
      packer.unpack8Values(in, at + group * width, unpacked, 0)
      var i = 0
      while (i < 8 && found < 0) {
        if (Integer.compareUnsigned(unpacked(i), bound) >= 0) found = group * 8 + i
        i += 1
      }
      group += 1
    }
    found
  }

  /**
   * Returns true if a bit-packed value is at least `bound`, which is less than `1 << width`. The
   * loop adds `(1 << width) - bound` to each value: the sum carries a bit out of the value exactly
   * if the value is at least `bound`.
   */
  private def hasFrom(in: ByteBuffer, bound: Int): Boolean = {
    val highest = lowest << (width - 1)
    val difference = lowest * ((1 << width) - bound)
    val differenceHigh = difference & highest
    val differenceLow = difference & ~highest
    // No page has more values than this.
    val values = math.min(length, (Int.MaxValue - 64).toLong).toInt
    var carried = 0L
    var done = 0
    while (done < values) {
      val step = packed(in, done, values)
      val carriedIn = (step & stepBits & ~highest) + differenceLow
      carried |= (step & differenceHigh) | ((step | differenceHigh) & carriedIn)
      done += inStep
    }
    (carried & highest) != 0
  }

  private def countPacked(in: ByteBuffer, wanted: Int, values: Int): Int =
    if (width <= MaxInStep) countNarrow(in, wanted, values) else countWide(in, wanted, values)

  private def countNarrow(in: ByteBuffer, wanted: Int, values: Int): Int = {
    val pattern = lowest * wanted
    var found = 0
    var done = 0
    while (done < values) {
      val different = (packed(in, done, values) & stepBits) ^ pattern
      var anyBit = different
      var shift = 1
      while (shift < width) {
        anyBit |= different >>> shift
        shift += 1
      }
      val own = math.min(inStep, values - done)
      val ofOwn = if (own == inStep) lowest else lowest & ((1L << (own * width)) - 1)
      found += own - java.lang.Long.bitCount(anyBit & ofOwn)
      done += inStep
    }
    found
  }

  /**
   * Returns a step of bit-packed values from the value at `index` on, with zeros after the end of
   * the run.
   */
  private def packed(in: ByteBuffer, index: Int, values: Int): Long = {
    val bit = index.toLong * width
    val from = at + (bit >>> 3).toInt
    val isWhole = index + inStep <= values && from + 8 <= in.limit()
    val number = if (isWhole) in.getLong(from) else lastBytes(in, from)
    number >>> (bit & 7).toInt
  }

  /** Returns the up to eight bytes that are left of the run. */
  private def lastBytes(in: ByteBuffer, from: Int): Long = {
    val end = math.min(from + 8, at + (length * width / 8).toInt)
    var number = 0L
    var i = from
    while (i < end) {
      number |= (in.get(i) & 0xffL) << (8 * (i - from))
      i += 1
    }
    number
  }

  private def countWide(in: ByteBuffer, wanted: Int, values: Int): Int = {
    var found = 0
    var i = 0
    while (i < values) {
      if (i % 8 == 0) packer.unpack8Values(in, at + i / 8 * width, unpacked, 0)
      if (unpacked(i % 8) == wanted) found += 1
      i += 1
    }
    found
  }
}

private[read] object HybridRuns {

  /**
   * The maximum width of values that are compared in steps: four such values fit into eight bytes,
   * at any bit at which they begin.
   */
  private final val MaxInStep = 16

  private def valuesInStep(width: Int): Int = if (width <= 8) 8 / width * 8 else 4

  /** For each width, a mask of the lowest bit of each value in a step. */
  private val LowestBits: Array[Long] = Array.tabulate(MaxInStep + 1) { width =>
    if (width == 0) 0L
    else (0 until valuesInStep(width)).foldLeft(0L)((bits, i) => bits | 1L << (i * width))
  }

  /** Returns the number of values of the run with this header. */
  def valuesOf(header: Long): Long = if ((header & 1) == 1) (header >>> 1) * 8 else header >>> 1

  /**
   * Reads a varint of up to 32 bits.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the number is cut off or has more bits
   */
  def unsigned(in: ByteBuffer): Long = {
    var value = 0L
    var shift = 0
    var more = true
    while (more) {
      if (!in.hasRemaining || shift > 28) throw corrupt("A page ends within a number.")
      val byte = in.get()
      value |= (byte & 0x7fL) << shift
      shift += 7
      more = byte < 0
    }
    if (value > 0xffffffffL) throw corrupt("A number in a page has more than 32 bits.")
    value
  }

  private def corrupt(reason: String): VariantShreddedException =
    VariantShreddedErrors.corruptFile(reason, ErrorLocation())
}
