package io.github.variantshredded.read.skip

import java.io.ByteArrayInputStream
import java.util.Arrays

import scala.util.control.NonFatal

import io.github.variantshredded.read.pages.{ByteRange, FileBytes, ThriftInput}
import org.apache.parquet.column.values.bloomfilter.{BlockSplitBloomFilter, BloomFilter}
import org.apache.parquet.format.BloomFilterHeader
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/** Looks up values in the bloom filters of column chunks. */
private[skip] final class BloomFilters(file: FileBytes) {
  import BloomFilters._

  /**
   * Returns true if one of the values may be in the chunk, or if the chunk has no usable bloom
   * filter. A failed read is an error: a stream may have closed itself, and a later read would not
   * tell why.
   */
  def mayContain(chunk: ColumnChunkMetaData, values: Seq[StoredLiteral]): Boolean =
    chunk.getBloomFilterOffset < 0 || {
      read(chunk).forall(filter => values.exists(mayContain(chunk, filter, _)))
    }

  private def mayContain(
      chunk: ColumnChunkMetaData,
      filter: BloomFilter,
      value: StoredLiteral
  ): Boolean = (value, chunk.getPrimitiveType.getPrimitiveTypeName) match {
    case (StoredLiteral.Nothing, _)              => false
    case (StoredLiteral.Is(number: Int), INT32)  => filter.findHash(filter.hash(number))
    case (StoredLiteral.Is(number: Long), INT64) => filter.findHash(filter.hash(number))
    case (StoredLiteral.Is(bytes: Array[Byte]), BINARY | FIXED_LEN_BYTE_ARRAY) =>
      filter.findHash(filter.hash(Binary.fromConstantByteArray(bytes)))
    case _ => true
  }

  private def read(chunk: ColumnChunkMetaData): Option[BloomFilter] = {
    val offset = chunk.getBloomFilterOffset
    val length = chunk.getBloomFilterLength
    val start =
      if (length > 0) file.read(offset, length.toLong, MaxBytes)
      else file.readUpTo(offset, HeaderBytes)
    for {
      bytes <- start
      in = new ByteArrayInputStream(bytes)
      size <- sizeIn(in)
      headerSize = bytes.length - in.available
      bits <-
        if (size <= in.available) Some(Arrays.copyOfRange(bytes, headerSize, headerSize + size))
        else if (length > 0) None
        else file.read(offset + headerSize, size.toLong, MaxBytes)
    } yield new BlockSplitBloomFilter(bits)
  }

  /** Returns the size of the filter behind a header; None if it is not usable. */
  private def sizeIn(in: ByteArrayInputStream): Option[Int] =
    try {
      val header = new BloomFilterHeader
      header.read(ThriftInput(in))
      Option.when(isUsable(header))(header.getNumBytes)
    } catch { case NonFatal(_) => None }

  /**
   * Returns true if the filter is of the only kind that the Parquet format defines, and consists of
   * whole blocks.
   */
  private def isUsable(header: BloomFilterHeader): Boolean = {
    val size = header.getNumBytes
    size > 0 && size <= MaxBytes && size % BlockBytes == 0 &&
    header.getHash.isSetXXHASH && header.getAlgorithm.isSetBLOCK &&
    header.getCompression.isSetUNCOMPRESSED
  }
}

private object BloomFilters {
  private final val MaxBytes = 32 << 20
  private final val BlockBytes = 32

  /** The number of bytes to read for a header of unknown length; no header is longer. */
  private final val HeaderBytes = 256

  /** Returns where the bloom filter of a chunk is, if it has one and its length is known. */
  def bytesOf(chunk: ColumnChunkMetaData): Option[ByteRange] = {
    val offset = chunk.getBloomFilterOffset
    val length = chunk.getBloomFilterLength
    Option.when(offset >= 0 && length > 0 && length <= MaxBytes)(ByteRange(offset, offset + length))
  }
}
