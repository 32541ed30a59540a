package io.github.variantshredded.write.column

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.fallback.FallbackValuesWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/**
 * Encodes the values of one column chunk, page by page, without levels and nulls.
 *
 * The encoders of this package exist because shredding adds many leaf columns with few values each,
 * and parquet-java's column writers are called for each null. Spark writes with parquet-java's
 * column writers. docs/performance.md ("Writing") compares whole writes, which include inference and
 * shredding: 1,000,000 events with inferred schemas take 2.752 s here, and 7.941 s by Spark. The
 * encoders alone have not been measured.
 */
private[write] abstract class LeafEncoder {
  def addInt(value: Int): Unit = throw unsupported("an int")

  def addLong(value: Long): Unit = throw unsupported("a long")

  def addFloat(value: Float): Unit = throw unsupported("a float")

  def addDouble(value: Double): Unit = throw unsupported("a double")

  def addBoolean(value: Boolean): Unit = throw unsupported("a boolean")

  /** Adds a byte array, which is copied. */
  def addBytes(bytes: Array[Byte], pos: Int, length: Int): Unit = throw unsupported("bytes")

  /**
   * Adds a byte array that may have been added before.
   *
   * @param known
   *   the result of this method for the same bytes, or -1
   * @return
   *   a number that stands for these bytes until the chunk ends, or -1
   */
  def addBytesAgain(known: Int, bytes: Array[Byte], pos: Int, length: Int): Int = {
    addBytes(bytes, pos, length)
    -1
  }

  /**
   * Returns the number of bytes of the page without a dictionary, which decides when the page ends.
   */
  def pageSize: Long

  /** Returns the number of bytes that are held in memory, including those of a dictionary. */
  def allocated: Long

  /**
   * Returns whether the encoder may use a dictionary. It decides at the first page, which must have
   * values.
   */
  def mayUseDictionary: Boolean = false

  /** Returns the page; after this call, [[encoding]] is valid until [[endPage]]. */
  def page(): BytesInput

  def encoding: Encoding

  def endPage(): Unit

  /** Returns the dictionary that pages have used, or null; the last call for a chunk. */
  def dictionary(): DictionaryPage

  private def unsupported(what: String) =
    new UnsupportedOperationException(s"${getClass.getName} does not accept $what.")
}

private[write] object LeafEncoder {

  /**
   * Returns an encoder for the values of `column`. parquet-java's encoders are used for rare types
   * and for the encodings of Parquet's version 2.
   */
  def apply(column: ColumnDescriptor, props: ParquetProperties): LeafEncoder = {
    val isOurs = props.getWriterVersion == WriterVersion.PARQUET_1_0 &&
      !props.isByteStreamSplitEnabled(column)
    val maxDictionary =
      if (props.isDictionaryEnabled(column)) props.getDictionaryPageSizeThreshold else 0
    column.getPrimitiveType.getPrimitiveTypeName match {
      case PrimitiveTypeName.BINARY if isOurs => new BinaryEncoder(maxDictionary)
      case PrimitiveTypeName.INT32 if isOurs  => new NumberEncoder(4, maxDictionary)
      case PrimitiveTypeName.INT64 | PrimitiveTypeName.DOUBLE if isOurs =>
        new NumberEncoder(8, maxDictionary)
      case _ => new ParquetEncoder(props.newValuesWriter(column))
    }
  }
}

/** Encodes values by one of parquet-java's encoders. */
private final class ParquetEncoder(values: ValuesWriter) extends LeafEncoder {
  override def addInt(value: Int): Unit = values.writeInteger(value)

  override def addLong(value: Long): Unit = values.writeLong(value)

  override def addFloat(value: Float): Unit = values.writeFloat(value)

  override def addDouble(value: Double): Unit = values.writeDouble(value)

  override def addBoolean(value: Boolean): Unit = values.writeBoolean(value)

  override def addBytes(bytes: Array[Byte], pos: Int, length: Int): Unit =
    values.writeBytes(Binary.fromReusedByteArray(bytes, pos, length))

  override def pageSize: Long = values.getBufferedSize

  override def allocated: Long = values.getAllocatedSize

  override def mayUseDictionary: Boolean = values.isInstanceOf[FallbackValuesWriter[_, _]]

  override def page(): BytesInput = values.getBytes

  override def encoding: Encoding = values.getEncoding

  override def endPage(): Unit = values.reset()

  override def dictionary(): DictionaryPage = values.toDictPageAndClose()
}
