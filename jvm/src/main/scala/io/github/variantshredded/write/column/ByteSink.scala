package io.github.variantshredded.write.column

import java.util.Arrays

import io.github.variantshredded.variant.LittleEndian
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.io.ParquetEncodingException

/** Collects the bytes of a page in a growing buffer, which is reused for the next page. */
private[write] final class ByteSink(initialCapacity: Int) {
  private var buffer = new Array[Byte](initialCapacity)
  private var position = 0

  def size: Int = position

  def capacity: Int = buffer.length

  /**
   * Returns the buffer, which holds the written bytes up to [[size]]; valid until the next change.
   */
  def bytes: Array[Byte] = buffer

  /** Returns the bytes that were written; valid until the next change. */
  def toInput: BytesInput = BytesInput.from(buffer, 0, position)

  /** Empties the buffer, and replaces it by a small one if it is much larger than `usual` bytes. */
  def reset(usual: Int): Unit = {
    position = 0
    if (buffer.length > 4L * math.max(usual, initialCapacity))
      buffer = new Array[Byte](initialCapacity)
  }

  def putByte(value: Int): Unit = {
    reserve(1)
    buffer(position) = value.toByte
    position += 1
  }

  def putInt(value: Int): Unit = {
    reserve(4)
    LittleEndian.putInt(buffer, position, value)
    position += 4
  }

  def putLong(value: Long): Unit = {
    reserve(8)
    LittleEndian.putLong(buffer, position, value)
    position += 8
  }

  /** Writes the `count` lowest bytes of a number; `count` is 0 to 8. */
  def putLowBytes(value: Long, count: Int): Unit = {
    reserve(8)
    LittleEndian.putLong(buffer, position, value)
    position += count
  }

  def putBytes(source: Array[Byte], pos: Int, length: Int): Unit = {
    reserve(length)
    System.arraycopy(source, pos, buffer, position, length)
    position += length
  }

  /** Writes a byte array as the encoding PLAIN does: 4 bytes of length, then the bytes. */
  def putSized(source: Array[Byte], pos: Int, length: Int): Unit = {
    reserve(length + 4L)
    LittleEndian.putInt(buffer, position, length)
    System.arraycopy(source, pos, buffer, position + 4, length)
    position += length + 4
  }

  def putVarInt(value: Int): Unit = {
    var rest = value
    while ((rest & ~0x7f) != 0) {
      putByte((rest & 0x7f) | 0x80)
      rest >>>= 7
    }
    putByte(rest)
  }

  /** Replaces a byte that was written before. */
  def setByte(at: Int, value: Int): Unit = buffer(at) = value.toByte

  private def reserve(count: Long): Unit =
    if (count > buffer.length - position) grow(position + count)

  private def grow(required: Long): Unit = {
    if (required > ByteSink.MaxSize)
      throw new ParquetEncodingException(
        s"A page cannot be larger than ${ByteSink.MaxSize} bytes."
      )
    val doubled = math.min(buffer.length * 2L, ByteSink.MaxSize.toLong)
    buffer = Arrays.copyOf(buffer, math.max(doubled, required).toInt)
  }
}

private[write] object ByteSink {

  /** Length of the largest array that every JVM can allocate. */
  final val MaxSize: Int = Int.MaxValue - 8
}
