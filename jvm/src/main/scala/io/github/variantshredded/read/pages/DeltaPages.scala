package io.github.variantshredded.read.pages

import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.parquet.bytes.{ByteBufferInputStream, BytesUtils}
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesReader
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayReader
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{INT32, INT64}

/**
 * Pages with delta-encoded values, which Spark's decoders do not always read: where values of one
 * width are skipped, that of numbers loses its place, and that of other values gives up.
 */
private[read] object DeltaPages {

  private final val MaxBytes = 256L << 20

  /**
   * The same bytes with values encoded plainly.
   *
   * @param page
   *   from its position to its limit, checked by [[PageCheck]]; left as it is
   * @param values
   *   the place in `page` where values begin
   * @param width
   *   bytes of a value
   */
  def toPlain(
      page: ByteBuffer,
      values: Int,
      physicalType: PrimitiveTypeName,
      width: Int
  ): ByteBuffer = {
    val encoded = page.duplicate().position(values)
    val count = countOf(encoded.duplicate())
    val levels = page.duplicate().limit(values)
    val bytes = levels.remaining + count.toLong * width
    if (bytes > MaxBytes) {
      throw VariantShreddedErrors.unreadableFile(
        s"A page has $count delta-encoded values of $width bytes. Pages with more than $MaxBytes " +
          "bytes of them cannot be skipped over.",
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

  /**
   * The same bytes from the start of an array: Spark's decoder of `DELTA_BYTE_ARRAY` takes the array
   * of a buffer without its offset, and so other bytes of pages that were not compressed.
   */
  def atStartOfArray(page: ByteBuffer): ByteBuffer =
    if (page.hasArray && page.arrayOffset == 0) page
    else {
      val bytes = new Array[Byte](page.remaining)
      page.duplicate().get(bytes)
      ByteBuffer.wrap(bytes)
    }

  /** The third number of the header, behind the sizes of blocks and miniblocks. */
  private def countOf(encoded: ByteBuffer): Int = {
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
    reader.initFromPage(count, in)
    var i = 0
    while (i < count) {
      plain.put(reader.readBytes().getBytesUnsafe)
      i += 1
    }
  }
}
