package io.github.variantshredded.read.pages

import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{LittleEndian, VariantConstants}

/**
 * A growing byte buffer that is filled from its end towards its start.
 *
 * A Variant container has its sizes before its children; written backwards, the children are there
 * when the header is due, so that nothing is moved and nothing is measured twice. Positions are
 * counted from the end (`used`), which growth does not change.
 */
private[read] final class ReverseBuffer {
  import ReverseBuffer._

  private var bytes = new Array[Byte](InitialCapacity)
  private var start = bytes.length

  /** Bytes written so far. */
  def used: Int = bytes.length - start

  def clear(): Unit = start = bytes.length

  private def reserve(count: Int): Unit = if (count > start) grow(count)

  private def grow(count: Int): Unit = {
    val needed = used.toLong + count
    if (needed > VariantConstants.SizeLimit) {
      throw VariantShreddedErrors.malformedVariant(
        s"The rebuilt Variant is larger than the limit of ${VariantConstants.SizeLimit} bytes."
      )
    }
    val larger = new Array[Byte](math.max(needed, bytes.length.toLong * 2).toInt)
    System.arraycopy(bytes, start, larger, larger.length - used, used)
    start += larger.length - bytes.length
    bytes = larger
  }

  def putByte(value: Int): Unit = {
    reserve(1)
    start -= 1
    bytes(start) = value.toByte
  }

  def putShort(value: Int): Unit = {
    reserve(2)
    start -= 2
    LittleEndian.putShort(bytes, start, value.toShort)
  }

  /** A byte, and four bytes after it. */
  def putInt(first: Int, value: Int): Unit = {
    reserve(5)
    start -= 5
    bytes(start) = first.toByte
    LittleEndian.putInt(bytes, start + 1, value)
  }

  def putLong(value: Long): Unit = {
    reserve(8)
    start -= 8
    LittleEndian.putLong(bytes, start, value)
  }

  /** A byte, and eight bytes after it. */
  def putLong(first: Int, value: Long): Unit = {
    reserve(9)
    start -= 9
    bytes(start) = first.toByte
    LittleEndian.putLong(bytes, start + 1, value)
  }

  /**
   * Makes room for `count` bytes, to be written into [[array]] from [[position]] on before anything
   * else.
   */
  def claim(count: Int): Unit = {
    reserve(count)
    start -= count
  }

  def array: Array[Byte] = bytes

  /** Place in [[array]] of the first byte, until more is written. */
  def position: Int = start

  def putBytes(source: Array[Byte], offset: Int, length: Int): Unit = {
    reserve(length)
    start -= length
    System.arraycopy(source, offset, bytes, start, length)
  }

  /** A byte, and bytes after it. */
  def putBytes(first: Int, source: Array[Byte], offset: Int, length: Int): Unit = {
    reserve(length + 1)
    start -= length + 1
    bytes(start) = first.toByte
    System.arraycopy(source, offset, bytes, start + 1, length)
  }

  /** All that was written, in order. */
  def toArray: Array[Byte] = Arrays.copyOfRange(bytes, start, bytes.length)
}

private[read] object ReverseBuffer {
  private final val InitialCapacity = 4096
}
