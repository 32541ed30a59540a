package io.github.variantshredded.write.column

import java.util.Arrays

import io.github.variantshredded.variant.LittleEndian
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.io.ParquetEncodingException

/** Bytes of a page that is being written; reused for the next one. */
private[write] final class ByteSink(initialCapacity: Int) {
  private var buffer = new Array[Byte](initialCapacity)
  private var position = 0

  def size: Int = position

  def capacity: Int = buffer.length

  /** The bytes so far, up to [[size]]; valid until the next change. */
  def bytes: Array[Byte] = buffer

  /** What is written so far; valid until the next change. */
  def toInput: BytesInput = BytesInput.from(buffer, 0, position)

  /** Empties it; what is much larger than `usual` bytes is given up. */
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

  /** The `count` lowest bytes of a number, 0 to 8 of them. */
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

  /** A byte array as PLAIN has it: 4 bytes of length, the bytes. */
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

  /** Replaces a byte that has been written. */
  def setByte(at: Int, value: Int): Unit = buffer(at) = value.toByte

  private def reserve(count: Long): Unit =
    if (count > buffer.length - position) grow(position + count)

  private def grow(required: Long): Unit = {
    if (required > ByteSink.MaxSize)
      throw new ParquetEncodingException(s"A page of more than ${ByteSink.MaxSize} bytes.")
    val doubled = math.min(buffer.length * 2L, ByteSink.MaxSize.toLong)
    buffer = Arrays.copyOf(buffer, math.max(doubled, required).toInt)
  }
}

private[write] object ByteSink {

  /** Largest array that every JVM gives. */
  final val MaxSize: Int = Int.MaxValue - 8
}
