package io.github.variantshredded.write.column

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/** The values of one column chunk, page by page, without levels and nulls. */
private[write] abstract class LeafValues {
  def addInt(value: Int): Unit = throw unsupported("an int")

  def addLong(value: Long): Unit = throw unsupported("a long")

  def addFloat(value: Float): Unit = throw unsupported("a float")

  def addDouble(value: Double): Unit = throw unsupported("a double")

  def addBoolean(value: Boolean): Unit = throw unsupported("a boolean")

  /** Copies the bytes. */
  def addBytes(bytes: Array[Byte], pos: Int, length: Int): Unit = throw unsupported("bytes")

  /**
   * As above, of bytes that may have been added before.
   *
   * @param known
   *   what this method said of the same bytes, or -1
   */
  def addBytesAgain(known: Int, bytes: Array[Byte], pos: Int, length: Int): Int = {
    addBytes(bytes, pos, length)
    -1
  }

  /** Bytes of the page without a dictionary, which decide when it ends. */
  def pageSize: Long

  /** Bytes that are held, those of a dictionary included. */
  def allocated: Long

  /** Whether the page and those before it have no values, so that their encoding is not known yet. */
  def awaitsValues: Boolean = false

  /** The page; [[encoding]] is asked for after it, and [[endPage]] called when it is written. */
  def page(): BytesInput

  def encoding: Encoding

  def endPage(): Unit

  /** The dictionary that pages have used, or null; the last call for a chunk. */
  def dictionary(): DictionaryPage

  private def unsupported(what: String) =
    new UnsupportedOperationException(s"${getClass.getName} does not take $what.")
}

private[write] object LeafValues {

  /**
   * What encodes the values of `column`. Parquet's own encoders serve the types that are rare and the
   * encodings of its version 2.
   */
  def apply(column: ColumnDescriptor, props: ParquetProperties): LeafValues = {
    val isOurs = props.getWriterVersion == WriterVersion.PARQUET_1_0 &&
      !props.isByteStreamSplitEnabled(column)
    val maxDictionary =
      if (props.isDictionaryEnabled(column)) props.getDictionaryPageSizeThreshold else 0
    column.getPrimitiveType.getPrimitiveTypeName match {
      case PrimitiveTypeName.BINARY if isOurs => new BinaryValues(maxDictionary)
      case PrimitiveTypeName.INT32 if isOurs  => new NumberValues(4, maxDictionary)
      case PrimitiveTypeName.INT64 | PrimitiveTypeName.DOUBLE if isOurs =>
        new NumberValues(8, maxDictionary)
      case _ => new ParquetValues(props.newValuesWriter(column))
    }
  }
}

/** Values by one of Parquet's encoders. */
private final class ParquetValues(values: ValuesWriter) extends LeafValues {
  override def addInt(value: Int): Unit = values.writeInteger(value)

  override def addLong(value: Long): Unit = values.writeLong(value)

  override def addFloat(value: Float): Unit = values.writeFloat(value)

  override def addDouble(value: Double): Unit = values.writeDouble(value)

  override def addBoolean(value: Boolean): Unit = values.writeBoolean(value)

  override def addBytes(bytes: Array[Byte], pos: Int, length: Int): Unit =
    values.writeBytes(Binary.fromReusedByteArray(bytes, pos, length))

  override def pageSize: Long = values.getBufferedSize

  override def allocated: Long = values.getAllocatedSize

  override def page(): BytesInput = values.getBytes

  override def encoding: Encoding = values.getEncoding

  override def endPage(): Unit = values.reset()

  override def dictionary(): DictionaryPage = values.toDictPageAndClose()
}
