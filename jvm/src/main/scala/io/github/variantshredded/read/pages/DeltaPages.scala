package io.github.variantshredded.read.pages

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.parquet.bytes.{ByteBufferInputStream, BytesInput, BytesUtils}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesReader
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesReader
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayReader
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, INT32, INT64}

/**
 * Converts pages that Spark's decoders cannot read. If rows are skipped, Spark's decoder of
 * delta-encoded numbers loses its position, and its decoder of delta-encoded fixed-length byte
 * arrays fails. Its decoders of delta-encoded byte arrays allocate memory for each value that a page
 * claims, even if most of them are null ([[check.DeltaLengths]]).
 */
private[read] object DeltaPages {

  private final val MaxBytes = 256L << 20

  /**
   * Returns a copy of a page with its values in plain encoding. Bytes before the values, such as
   * levels, stay the same.
   *
   * @param page
   *   the page, from the buffer's position to its limit, checked by `PageCheck`; not changed
   * @param values
   *   the index in `page` where the values begin
   * @param width
   *   bytes per value
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_PARQUET_FILE` if the page has too many values, or `CORRUPT_PARQUET_FILE` if a
   *   value does not have `width` bytes
   */
  def toPlain(
      page: ByteBuffer,
      values: Int,
      encoding: Encoding,
      physicalType: PrimitiveTypeName,
      width: Int
  ): ByteBuffer = {
    val encoded = page.duplicate().position(values)
    val count = countOf(encoded.duplicate())
    val levels = page.duplicate().limit(values)
    if (physicalType == BINARY) binaries(levels, encoded, encoding, count)
    else fixed(levels, encoded, physicalType, count, width)
  }

  private def fixed(
      levels: ByteBuffer,
      encoded: ByteBuffer,
      physicalType: PrimitiveTypeName,
      count: Int,
      width: Int
  ): ByteBuffer = {
    val bytes = levels.remaining + count.toLong * width
    if (bytes > MaxBytes) {
      throw VariantShreddedErrors.unreadableFile(
        s"A page has $count delta-encoded values of $width bytes. Pages with more than $MaxBytes " +
          "bytes of them cannot be read if rows of them are skipped.",
        ErrorLocation()
      )
    }
    val plain = ByteBuffer
      .allocate(bytes.toInt)
      .order(ByteOrder.LITTLE_ENDIAN)
      .put(levels)
    val in = ByteBufferInputStream.wrap(encoded)
    physicalType match {
      case INT32 | INT64 => putNumbers(in, count, width, plain)
      case _             => putBytes(in, count, plain)
    }
    plain.rewind()
  }

  private def binaries(
      levels: ByteBuffer,
      encoded: ByteBuffer,
      encoding: Encoding,
      count: Int
  ): ByteBuffer = {
    val reader =
      if (encoding == Encoding.DELTA_BYTE_ARRAY) new DeltaByteArrayReader
      else new DeltaLengthByteArrayValuesReader
    if (count > 0) reader.initFromPage(count, ByteBufferInputStream.wrap(encoded))
    val plain = new ByteArrayOutputStream
    BytesInput.from(levels).writeAllTo(plain)
    var i = 0
    while (i < count) {
      val value = reader.readBytes()
      if (plain.size + 4L + value.length > MaxBytes) {
        throw VariantShreddedErrors.unreadableFile(
          s"A page has $count delta-encoded values of more than $MaxBytes bytes between many " +
            "nulls. Such pages cannot be read.",
          ErrorLocation()
        )
      }
      BytesUtils.writeIntLittleEndian(plain, value.length)
      value.writeTo(plain)
      i += 1
    }
    ByteBuffer.wrap(plain.toByteArray)
  }

  /**
   * Returns the page in a buffer that begins at the start of its array. Spark's decoder of
   * `DELTA_BYTE_ARRAY` ignores the array offset of a buffer, and so would read other bytes of a
   * page that was not compressed.
   */
  def atStartOfArray(page: ByteBuffer): ByteBuffer =
    if (page.hasArray && page.arrayOffset == 0) page
    else {
      val bytes = new Array[Byte](page.remaining)
      page.duplicate().get(bytes)
      ByteBuffer.wrap(bytes)
    }

  /**
   * Returns the number of values in `encoded`, without nulls. It is the third number of the header,
   * after block size and number of miniblocks.
   */
  def countOf(encoded: ByteBuffer): Int = {
    val in = ByteBufferInputStream.wrap(encoded)
    BytesUtils.readUnsignedVarInt(in)
    BytesUtils.readUnsignedVarInt(in)
    BytesUtils.readUnsignedVarInt(in)
  }

  private def putNumbers(
      in: ByteBufferInputStream,
      count: Int,
      width: Int,
      plain: ByteBuffer
  ): Unit = {
    val reader = new DeltaBinaryPackingValuesReader
    reader.initFromPage(count, in)
    var i = 0
    while (i < count) {
      if (width == 4) plain.putInt(reader.readInteger()) else plain.putLong(reader.readLong())
      i += 1
    }
  }

  private def putBytes(
      in: ByteBufferInputStream,
      count: Int,
      plain: ByteBuffer
  ): Unit = {
    val reader = new DeltaByteArrayReader
    if (count > 0) reader.initFromPage(count, in)
    var i = 0
    while (i < count) {
      plain.put(reader.readBytes().getBytesUnsafe)
      i += 1
    }
  }
}
