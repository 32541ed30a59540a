package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{LittleEndian, VariantConstants}

/**
 * Collects bytes in a growing buffer that is filled from its end towards its start.
 *
 * A Variant container stores the sizes of its children before them. Written backwards, the children
 * are complete when the header is written, so no bytes are moved and no size is computed twice.
 * Positions are counted from the end (`used`), so they stay valid when the buffer grows.
 */
private[read] final class ReverseBuffer {
  import ReverseBuffer._

  private var bytes = new Array[Byte](InitialCapacity)
  private var start = bytes.length

  /** Returns the number of bytes written so far. */
  def used: Int = bytes.length - start

  private var overfull = false

  /** Returns whether more bytes were to be written than a Variant may have. */
  def isOverfull: Boolean = overfull

  def clear(): Unit = {
    start = bytes.length
    overfull = false
  }

  private def reserve(count: Int): Unit = if (count > start) grow(count)

  private def grow(count: Int): Unit = {
    val needed = used.toLong + count
    if (needed > VariantConstants.SizeLimit) {
      overfull = true
      throw VariantShreddedErrors.malformedVariant(
        s"The rebuilt Variant is larger than the limit of ${VariantConstants.SizeLimit} bytes."
      )
    }
    val doubled = math.min(bytes.length.toLong * 2, VariantConstants.SizeLimit.toLong)
    val larger = new Array[Byte](math.max(needed, doubled).toInt)
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

  /** Writes a byte, followed by an int in four bytes. */
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

  /** Writes a byte, followed by a long in eight bytes. */
  def putLong(first: Int, value: Long): Unit = {
    reserve(9)
    start -= 9
    bytes(start) = first.toByte
    LittleEndian.putLong(bytes, start + 1, value)
  }

  /**
   * Reserves `count` bytes. The caller must write them into [[array]], from [[position]] on, before
   * it writes anything else.
   */
  def claim(count: Int): Unit = {
    reserve(count)
    start -= count
  }

  def array: Array[Byte] = bytes

  /** Returns the index in [[array]] of the first byte, until more is written. */
  def position: Int = start

  def putBytes(source: Array[Byte], offset: Int, length: Int): Unit = {
    reserve(length)
    start -= length
    System.arraycopy(source, offset, bytes, start, length)
  }

  /** Writes a byte, followed by `length` bytes of `source`. */
  def putBytes(first: Int, source: Array[Byte], offset: Int, length: Int): Unit = {
    reserve(length + 1)
    start -= length + 1
    bytes(start) = first.toByte
    System.arraycopy(source, offset, bytes, start + 1, length)
  }

  /** Returns a copy of all bytes written, in the order of the result. */
  def toArray: Array[Byte] = Arrays.copyOfRange(bytes, start, bytes.length)
}

private[read] object ReverseBuffer {
  private final val InitialCapacity = 4096
}
