package io.github.variantshredded.read.rebuild

import java.math.{BigDecimal, BigInteger}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.read.decode.{PrimitiveCode, PrimitiveVectors}
import io.github.variantshredded.read.vector.{BinarySlice, LeafArrays}
import io.github.variantshredded.variant.{LittleEndian, Utf8}
import io.github.variantshredded.variant.encode.VariantEncoder

/**
 * Writes primitive typed values as Spark's `VariantBuilder` writes them: integers and decimals in
 * the fewest bytes, one form of NaN, and strings as valid UTF-8.
 */
private[read] final class SparkPrimitives(encoder: VariantEncoder) {
  private val slice = new BinarySlice

  /** Writes the value of `slot`, which must not be null. */
  def write(typed: PrimitiveVectors, slot: Int): Unit = {
    val arrays = typed.arrays
    val at = arrays.index(slot)
    typed.code match {
      case PrimitiveCode.String => writeString(arrays, at)
      case PrimitiveCode.Bool   => encoder.writeBoolean(arrays.booleans(slot) != 0)
      // Spark's reader cuts off what does not fit into int8 and int16.
      case PrimitiveCode.Int8      => encoder.writeInt8(arrays.ints(at).toByte)
      case PrimitiveCode.Int16     => encoder.writeInteger(arrays.ints(at).toShort.toLong)
      case PrimitiveCode.Int32     => encoder.writeInteger(arrays.ints(at).toLong)
      case PrimitiveCode.Int64     => encoder.writeInteger(arrays.longs(at))
      case PrimitiveCode.Float     => encoder.writeFloat(withOneNaN(arrays.floats(at)))
      case PrimitiveCode.Double    => encoder.writeDouble(withOneNaN(arrays.doubles(at)))
      case PrimitiveCode.Decimal4  => encoder.writeDecimal(arrays.ints(at).toLong, typed.scale)
      case PrimitiveCode.Decimal8  => encoder.writeDecimal(arrays.longs(at), typed.scale)
      case PrimitiveCode.Decimal16 => writeDecimal(typed, slot)
      case PrimitiveCode.Date      => encoder.writeDate(arrays.ints(at))
      case PrimitiveCode.Time      => encoder.writeTime(arrays.longs(at))
      case PrimitiveCode.TimestampMicros    => encoder.writeTimestampMicros(arrays.longs(at))
      case PrimitiveCode.TimestampNtzMicros => encoder.writeTimestampNtzMicros(arrays.longs(at))
      case PrimitiveCode.TimestampNanos     => encoder.writeTimestampNanos(arrays.longs(at))
      case PrimitiveCode.TimestampNtzNanos  => encoder.writeTimestampNtzNanos(arrays.longs(at))
      case PrimitiveCode.Binary             =>
        slice.read(arrays, slot)
        encoder.writeBinary(slice.bytes, slice.start, slice.length)
      case PrimitiveCode.Uuid =>
        slice.read(arrays, slot)
        encoder.writeUuid(bigEndian(slice.start), bigEndian(slice.start + 8))
    }
  }

  private def writeString(arrays: LeafArrays, at: Int): Unit = {
    val bytes = arrays.bytes
    val start = arrays.offsets(at)
    val length = arrays.lengths(at)
    if (arrays.isUtf8(start, length) || Utf8.firstMalformed(bytes, start, start + length) < 0) {
      encoder.writeString(bytes, start, length)
    } else {
      // Like Spark, which writes a replacement character for what is not UTF-8.
      encoder.writeString(new String(bytes, start, length, UTF_8))
    }
  }

  private def writeDecimal(typed: PrimitiveVectors, slot: Int): Unit = {
    slice.read(typed.arrays, slot)
    if (slice.length == 0) throw VariantShreddedErrors.malformedVariant("A decimal has no bytes.")
    val unscaled = new BigInteger(Arrays.copyOfRange(slice.bytes, slice.start, slice.end))
    encoder.writeDecimal(new BigDecimal(unscaled, typed.scale))
  }

  private def bigEndian(pos: Int): Long =
    java.lang.Long.reverseBytes(LittleEndian.getLong(slice.bytes, pos))

  private def withOneNaN(value: Float): Float = if (value.isNaN) Float.NaN else value

  private def withOneNaN(value: Double): Double = if (value.isNaN) Double.NaN else value
}
