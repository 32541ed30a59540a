package io.github.variantshredded.read.skip

import java.io.ByteArrayInputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays
import java.util.zip.CRC32

import scala.util.control.NonFatal

import io.github.variantshredded.read.footer.PageEncodings
import io.github.variantshredded.read.pages.{ByteRange, FileBytes, ThriftInput}
import io.github.variantshredded.read.pages.check.PageCheck
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.format.{Encoding, PageHeader}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/**
 * Reads the distinct values of a column chunk, if all of its data pages use a small dictionary
 * page.
 */
private[skip] final class DictionaryEntries(file: FileBytes, codecs: CompressionCodecFactory) {
  import DictionaryEntries._

  /**
   * Calls `take` with each distinct value, in the form that [[PlainValue]] decodes, until it
   * returns true.
   *
   * @return
   *   true if a call returned true, or if there is no such dictionary page or it cannot be decoded
   *   (a later read of the chunk then reports the error)
   */
  def exists(chunk: ColumnChunkMetaData)(take: Array[Byte] => Boolean): Boolean =
    if (!isOnlyDictionary(chunk)) true
    else {
      val page = pageOf(chunk)
      // A failed read is an error: a stream may have closed itself, and a later read would not tell
      // why.
      val entries = file.read(page.start, page.size, MaxCompressed).flatMap { bytes =>
        try decode(chunk, bytes)
        catch { case NonFatal(_) => None }
      }
      entries.forall { case (plain, count) => exists(chunk, plain, count)(take) }
    }

  private def decode(chunk: ColumnChunkMetaData, bytes: Array[Byte]): Option[(ByteBuffer, Int)] = {
    val in = new ByteArrayInputStream(bytes)
    val header = new PageHeader
    header.read(ThriftInput(in))
    for {
      dictionary <- Option(header.getDictionary_page_header)
      if isWithin(header, in.available)
      start = bytes.length - in.available
      data = Arrays.copyOfRange(bytes, start, start + header.getCompressed_page_size)
      if !header.isSetCrc || crcOf(data) == header.getCrc
    } yield {
      val count = dictionary.getNum_values
      val unpacked = codecs
        .getDecompressor(chunk.getCodec)
        .decompress(BytesInput.from(data, 0, data.length), header.getUncompressed_page_size)
        .toInputStream
      val plain = unpacked.slice(unpacked.available)
      val descriptor = new ColumnDescriptor(chunk.getPath.toArray, chunk.getPrimitiveType, 0, 0)
      new PageCheck(descriptor, prefixesCrossPages = false).dictionary(count, plain.duplicate())
      (plain, count)
    }
  }

  private def isWithin(header: PageHeader, available: Int): Boolean = {
    val encoding = header.getDictionary_page_header.getEncoding
    (encoding == Encoding.PLAIN || encoding == Encoding.PLAIN_DICTIONARY) &&
    header.getCompressed_page_size >= 0 && header.getCompressed_page_size <= available &&
    header.getUncompressed_page_size >= 0 && header.getUncompressed_page_size <= MaxPlain
  }

  private def crcOf(bytes: Array[Byte]): Int = {
    val crc = new CRC32
    crc.update(bytes)
    crc.getValue.toInt
  }

  private def exists(chunk: ColumnChunkMetaData, plain: ByteBuffer, count: Int)(
      take: Array[Byte] => Boolean
  ): Boolean = {
    val in = plain.duplicate().order(ByteOrder.LITTLE_ENDIAN)
    val physical = chunk.getPrimitiveType
    val width = physical.getPrimitiveTypeName match {
      case INT32 | FLOAT        => 4
      case INT64 | DOUBLE       => 8
      case FIXED_LEN_BYTE_ARRAY => physical.getTypeLength
      case _                    => 0
    }
    var found = false
    var i = 0
    while (!found && i < count) {
      val value = new Array[Byte](if (width > 0) width else in.getInt())
      in.get(value)
      found = take(value)
      i += 1
    }
    found
  }
}

private object DictionaryEntries {

  private final val MaxCompressed = 1 << 20
  private final val MaxPlain = 8 << 20

  /**
   * Returns where the dictionary page of a chunk is, if [[DictionaryEntries.exists]] reads it.
   */
  def bytesOf(chunk: ColumnChunkMetaData): Option[ByteRange] =
    Option.when(isOnlyDictionary(chunk))(pageOf(chunk)).filter(_.size <= MaxCompressed)

  private def pageOf(chunk: ColumnChunkMetaData): ByteRange =
    ByteRange(chunk.getStartingPos, chunk.getFirstDataPageOffset)

  /**
   * Returns true if all data pages store their values as dictionary ids, of a type with
   * [[PlainValue]].
   */
  private def isOnlyDictionary(chunk: ColumnChunkMetaData): Boolean =
    (chunk.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 | INT64 | FLOAT | DOUBLE | BINARY | FIXED_LEN_BYTE_ARRAY => true
      case _                                                              => false
    }) && PageEncodings.areOnlyDictionary(chunk)
}
