package io.github.variantshredded.read.rebuild

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.decode.{PositionVectors, PrimitiveCode, PrimitiveVectors}
import io.github.variantshredded.read.vector.{BinarySlice, LeafArrays}
import io.github.variantshredded.variant.{Utf8, ValueHeader, VariantConstants, VariantNumbers}

/**
 * Writes primitive typed values as Variant binary (see
 * [[io.github.variantshredded.read.decode.PrimitiveCode]]).
 *
 * @param isNarrow
 *   whether int32, int64 and decimals are written in the narrowest type, as Spark's reader writes
 *   them, and not in that of their column
 */
private[read] final class PrimitiveWriter(
    buffer: ReverseBuffer,
    strict: Boolean,
    path: ValuePath,
    isNarrow: Boolean
) {
  private val slice = new BinarySlice

  /** Writes the value of `slot`, which must not be null. */
  def write(node: PositionVectors, typed: PrimitiveVectors, slot: Int): Unit = {
    val arrays = typed.arrays
    typed.code match {
      case PrimitiveCode.String => writeString(node, arrays, slot)
      case PrimitiveCode.Int64  =>
        val number = arrays.longs(arrays.index(slot))
        if (isNarrow) writeInteger(number)
        else buffer.putLong(ValueHeader.ofPrimitive(VariantConstants.Int64), number)
      case PrimitiveCode.Bool =>
        val isTrue = arrays.booleans(slot) != 0
        buffer.putByte(
          ValueHeader.ofPrimitive(if (isTrue) VariantConstants.True else VariantConstants.False)
        )
      case PrimitiveCode.Int8 =>
        val number = arrays.ints(arrays.index(slot))
        if (number != number.toByte) throw outOfRange(node, number.toString, "int8")
        buffer.putByte(number)
        header(VariantConstants.Int8)
      case PrimitiveCode.Int16 =>
        val number = arrays.ints(arrays.index(slot))
        if (number != number.toShort) throw outOfRange(node, number.toString, "int16")
        buffer.putShort(number)
        header(VariantConstants.Int16)
      case PrimitiveCode.Int32 =>
        val number = arrays.ints(arrays.index(slot))
        if (isNarrow) writeInteger(number.toLong)
        else buffer.putInt(ValueHeader.ofPrimitive(VariantConstants.Int32), number)
      case PrimitiveCode.Float =>
        val number = arrays.floats(arrays.index(slot))
        buffer.putInt(
          ValueHeader.ofPrimitive(VariantConstants.Float),
          java.lang.Float.floatToRawIntBits(number)
        )
      case PrimitiveCode.Double =>
        val number = arrays.doubles(arrays.index(slot))
        buffer.putLong(
          ValueHeader.ofPrimitive(VariantConstants.Double),
          java.lang.Double.doubleToRawLongBits(number)
        )
      case PrimitiveCode.Decimal4 =>
        val unscaled = arrays.ints(arrays.index(slot))
        if (!VariantNumbers.fitsDecimal4(unscaled.toLong)) {
          throw outOfRange(node, unscaled.toString, "decimal4")
        }
        buffer.putInt(typed.scale, unscaled)
        header(VariantConstants.Decimal4)
      case PrimitiveCode.Decimal8 =>
        val unscaled = arrays.longs(arrays.index(slot))
        if (!VariantNumbers.fitsDecimal8(unscaled)) {
          throw outOfRange(node, unscaled.toString, "decimal8")
        }
        writeDecimal8(unscaled, typed.scale)
      case PrimitiveCode.Decimal16 => writeDecimal16(node, typed, slot)
      case PrimitiveCode.Date      => writeInt(arrays, slot, VariantConstants.Date)
      case PrimitiveCode.Time      =>
        val micros = arrays.longs(arrays.index(slot))
        if (!VariantNumbers.isTimeOfDay(micros)) throw outOfRange(node, micros.toString, "time")
        buffer.putLong(ValueHeader.ofPrimitive(VariantConstants.TimeNtzMicros), micros)
      case PrimitiveCode.TimestampMicros =>
        writeLong(arrays, slot, VariantConstants.TimestampMicros)
      case PrimitiveCode.TimestampNtzMicros =>
        writeLong(arrays, slot, VariantConstants.TimestampNtzMicros)
      case PrimitiveCode.TimestampNanos =>
        writeLong(arrays, slot, VariantConstants.TimestampNanos)
      case PrimitiveCode.TimestampNtzNanos =>
        writeLong(arrays, slot, VariantConstants.TimestampNtzNanos)
      case PrimitiveCode.Binary =>
        slice.read(arrays, slot)
        buffer.putBytes(slice.bytes, slice.start, slice.length)
        buffer.putInt(ValueHeader.ofPrimitive(VariantConstants.Binary), slice.length)
      case PrimitiveCode.Uuid =>
        slice.read(arrays, slot)
        buffer.putBytes(slice.bytes, slice.start, slice.length)
        header(VariantConstants.Uuid)
    }
  }

  private def header(primitive: Int): Unit = buffer.putByte(ValueHeader.ofPrimitive(primitive))

  private def writeInt(arrays: LeafArrays, slot: Int, primitive: Int): Unit =
    buffer.putInt(ValueHeader.ofPrimitive(primitive), arrays.ints(arrays.index(slot)))

  private def writeLong(arrays: LeafArrays, slot: Int, primitive: Int): Unit =
    buffer.putLong(ValueHeader.ofPrimitive(primitive), arrays.longs(arrays.index(slot)))

  private def writeString(node: PositionVectors, arrays: LeafArrays, slot: Int): Unit = {
    val at = arrays.index(slot)
    val bytes = arrays.bytes
    val start = arrays.offsets(at)
    val length = arrays.lengths(at)
    if (strict && !arrays.isUtf8(start, length)) checkUtf8(node, bytes, start, length)
    if (length <= VariantConstants.MaxShortString) {
      buffer.putBytes(ValueHeader.ofShortString(length), bytes, start, length)
    } else {
      buffer.putBytes(bytes, start, length)
      buffer.putInt(ValueHeader.ofPrimitive(VariantConstants.LongString), length)
    }
  }

  private def checkUtf8(node: PositionVectors, bytes: Array[Byte], start: Int, length: Int): Unit =
    if (Utf8.firstMalformed(bytes, start, start + length) >= 0) {
      throw path.invalid(node, "'typed_value' (a string) is not valid UTF-8.")
    }

  /**
   * Writes a decimal. Its unscaled value is stored as big-endian bytes of any length, and is
   * written as 16 little-endian bytes.
   */
  private def writeDecimal16(node: PositionVectors, typed: PrimitiveVectors, slot: Int): Unit = {
    slice.read(typed.arrays, slot)
    if (slice.length == 0) throw path.invalid(node, "'typed_value' (a decimal) has no bytes.")
    var high = if (slice.bytes(slice.start) < 0) -1L else 0L
    val sign = high
    var low = high
    var i = slice.start
    // Any bytes before the last 16 must repeat the sign.
    while (slice.end - i > 16) {
      if (slice.bytes(i) != sign.toByte) throw outOfRange(node, "a number", "decimal16")
      i += 1
    }
    while (i < slice.end) {
      high = (high << 8) | (low >>> 56)
      low = (low << 8) | (slice.bytes(i) & 0xffL)
      i += 1
    }
    if (slice.length > 16 && (high >> 63) != sign || !VariantNumbers.fitsDecimal16(high, low)) {
      throw outOfRange(node, "a number", "decimal16")
    }
    val fitsDecimal8 = isNarrow && high == (low >> 63) && VariantNumbers.fitsDecimal8(low)
    if (fitsDecimal8 && typed.scale <= VariantNumbers.MaxPrecision8) writeDecimal8(low, typed.scale)
    else {
      buffer.putLong(high)
      buffer.putLong(low)
      buffer.putByte(typed.scale)
      header(VariantConstants.Decimal16)
    }
  }

  // Spark reads no decimal with a scale above the precision of its type.
  private def writeDecimal8(unscaled: Long, scale: Int): Unit = {
    val fitsDecimal4 = isNarrow && VariantNumbers.fitsDecimal4(unscaled)
    if (fitsDecimal4 && scale <= VariantNumbers.MaxPrecision4) {
      buffer.putInt(scale, unscaled.toInt)
      header(VariantConstants.Decimal4)
    } else {
      buffer.putLong(scale, unscaled)
      header(VariantConstants.Decimal8)
    }
  }

  private def writeInteger(number: Long): Unit =
    if (number == number.toByte) {
      buffer.putByte(number.toInt)
      header(VariantConstants.Int8)
    } else if (number == number.toShort) {
      buffer.putShort(number.toInt)
      header(VariantConstants.Int16)
    } else if (number == number.toInt)
      buffer.putInt(ValueHeader.ofPrimitive(VariantConstants.Int32), number.toInt)
    else buffer.putLong(ValueHeader.ofPrimitive(VariantConstants.Int64), number)

  private def outOfRange(
      node: PositionVectors,
      number: String,
      shreddedType: String
  ): VariantShreddedException = path.invalid(
    node,
    s"'typed_value' holds $number, which is out of the range of $shreddedType."
  )
}
