package io.github.variantshredded.variant

import java.nio.ByteOrder

import org.apache.spark.unsafe.Platform

/**
 * Reads and writes little-endian numbers in a byte array, without bounds checks.
 *
 * The array is accessed as raw memory: every caller must have compared the range with the length of
 * the array before.
 */
private[variantshredded] object LittleEndian {

  private val swapped = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
  private val base: Long = Platform.BYTE_ARRAY_OFFSET.toLong

  def getShort(bytes: Array[Byte], pos: Int): Short = {
    val raw = Platform.getShort(bytes, base + pos)
    if (swapped) java.lang.Short.reverseBytes(raw) else raw
  }

  def getInt(bytes: Array[Byte], pos: Int): Int = {
    val raw = Platform.getInt(bytes, base + pos)
    if (swapped) Integer.reverseBytes(raw) else raw
  }

  def getLong(bytes: Array[Byte], pos: Int): Long = {
    val raw = Platform.getLong(bytes, base + pos)
    if (swapped) java.lang.Long.reverseBytes(raw) else raw
  }

  /** Returns the unsigned number in `width` bytes, 1 to 4, which is at most 2^32^-1. */
  def getUnsigned(bytes: Array[Byte], pos: Int, width: Int): Long =
    if (pos <= bytes.length - 4)
      (getInt(bytes, pos) & 0xffffffffL) & (0xffffffffL >>> (32 - 8 * width))
    else getUnsignedAtEnd(bytes, pos, width)

  // For the last bytes of an array, where reading four bytes would go beyond its end.
  private def getUnsignedAtEnd(bytes: Array[Byte], pos: Int, width: Int): Long = {
    var result = 0L
    var i = width - 1
    while (i >= 0) {
      result = (result << 8) | (bytes(pos + i) & 0xff)
      i -= 1
    }
    result
  }

  def putShort(bytes: Array[Byte], pos: Int, value: Short): Unit =
    Platform.putShort(
      bytes,
      base + pos,
      if (swapped) java.lang.Short.reverseBytes(value) else value
    )

  def putInt(bytes: Array[Byte], pos: Int, value: Int): Unit =
    Platform.putInt(bytes, base + pos, if (swapped) Integer.reverseBytes(value) else value)

  def putLong(bytes: Array[Byte], pos: Int, value: Long): Unit =
    Platform.putLong(bytes, base + pos, if (swapped) java.lang.Long.reverseBytes(value) else value)

  /** Writes the lowest `width` bytes of `value`; `width` is 1 to 4. */
  def putUnsigned(bytes: Array[Byte], pos: Int, value: Int, width: Int): Unit = {
    var i = 0
    while (i < width) {
      bytes(pos + i) = (value >>> (8 * i)).toByte
      i += 1
    }
  }

  /** Returns the number of bytes, 1 to 4, that an unsigned number takes. */
  def width(value: Int): Int =
    if (value < 0) 4
    else if (value <= 0xff) 1
    else if (value <= 0xffff) 2
    else if (value <= 0xffffff) 3
    else 4
}
