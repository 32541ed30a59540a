package io.github.variantshredded.read

import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder

import io.github.variantshredded.VariantShreddedErrors
import io.github.variantshredded.variant.VariantConstants

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
    Shorts.set(bytes, start, value.toShort)
  }

  def putInt(value: Int): Unit = {
    reserve(4)
    start -= 4
    Ints.set(bytes, start, value)
  }

  def putLong(value: Long): Unit = {
    reserve(8)
    start -= 8
    Longs.set(bytes, start, value)
  }

  /** The low `width` (1 to 4) bytes of `value`, little endian. */
  def putUnsigned(value: Int, width: Int): Unit = {
    reserve(width)
    start -= width
    var rest = value
    var i = 0
    while (i < width) {
      bytes(start + i) = rest.toByte
      rest >>>= 8
      i += 1
    }
  }

  def putBytes(source: Array[Byte], offset: Int, length: Int): Unit = {
    reserve(length)
    start -= length
    System.arraycopy(source, offset, bytes, start, length)
  }

  /** All that was written, in order. */
  def toArray: Array[Byte] = java.util.Arrays.copyOfRange(bytes, start, bytes.length)
}

private[read] object ReverseBuffer {
  private val InitialCapacity = 4096

  private val Shorts: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Short]], ByteOrder.LITTLE_ENDIAN)
  private val Ints: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Int]], ByteOrder.LITTLE_ENDIAN)
  private val Longs: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.LITTLE_ENDIAN)
}
