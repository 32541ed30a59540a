package io.github.variantshredded.read.pages.check

import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPageV1, DataPageV2}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/**
 * Checks the pages of a column before Spark's decoders read them. A page must have the bytes of all
 * dictionary values, runs (levels, dictionary ids, booleans) and delta-encoded numbers that it
 * claims. Dictionary ids must be in the dictionary, the bytes of delta-encoded byte arrays in the
 * page, and a prefix in `DELTA_BYTE_ARRAY` must not be longer than the value before it.
 *
 * Spark's decoders make none of these checks. If booleans are missing, they do not terminate; if
 * dictionary ids are missing, ids of an earlier batch stay in the vector; if delta-encoded numbers
 * are missing, they return padding. They look up an id only when the value is requested, outside of
 * this reader, and they allocate memory for a prefix before they look for its bytes. After a run
 * without values, they lose their place.
 *
 * Of the runs and blocks, this class reads only the headers. Of the values, it reads only levels,
 * ids and lengths.
 *
 * @param prefixesCrossPages
 *   whether the first value of a page in `DELTA_BYTE_ARRAY` may have a prefix of the last value of
 *   the page before, as old versions of parquet-java wrote it (PARQUET-246)
 */
private[read] final class PageCheck(descriptor: ColumnDescriptor, prefixesCrossPages: Boolean) {

  private val levels = new LevelCheck(descriptor)
  private val ids = new DictionaryIdCheck(levels)

  private val physicalType = descriptor.getPrimitiveType.getPrimitiveTypeName

  /**
   * The number of bytes per value of a type that can have the encoding BYTE_STREAM_SPLIT; 0 for
   * other types.
   */
  val valueWidth: Int = physicalType match {
    case INT32 | FLOAT        => 4
    case INT64 | DOUBLE       => 8
    case FIXED_LEN_BYTE_ARRAY => descriptor.getPrimitiveType.getTypeLength
    case _                    => 0
  }

  /**
   * The number of bytes per value in plain encoding; 0 if a value is prefixed by its length, or is
   * a boolean.
   */
  val plainWidth: Int = if (physicalType == INT96) 12 else valueWidth

  private val delta = new DeltaCheck(
    if (physicalType == FIXED_LEN_BYTE_ARRAY) valueWidth else -1,
    prefixesCrossPages
  )

  /** The definition levels of the page that was checked last, and the number of its values. */
  private var lastLevels: ByteBuffer = _
  private var lastCount = 0

  /** Checks that a dictionary page has the bytes of all its values, which are in plain encoding. */
  def dictionary(values: Int, bytes: ByteBuffer): Unit = {
    val size = physicalType match {
      case BINARY | BOOLEAN => 4
      case _                => plainWidth
    }
    if (values < 0 || values.toLong * size > bytes.remaining) {
      throw corrupt(s"A dictionary of ${bytes.remaining} bytes claims to have $values values.")
    }
    if (physicalType == BINARY) {
      val in = bytes.order(ByteOrder.LITTLE_ENDIAN)
      var i = 0
      while (i < values) {
        val length = if (in.remaining < 4) -1 else in.getInt()
        if (length < 0 || length > in.remaining) {
          throw corrupt(s"The value $i of a dictionary claims $length bytes.")
        }
        in.position(in.position() + length)
        i += 1
      }
    }
    ids.dictionarySize = values
  }

  /**
   * Checks a data page of version 1.
   *
   * @param rows
   *   the number of rows that the page must have; None if unknown
   * @return
   *   the index in `bytes` where the values begin
   */
  def pageV1(page: DataPageV1, bytes: ByteBuffer, rows: Option[Long]): Int = {
    val count = checkCount(page.getValueCount)
    val in = bytes.order(ByteOrder.LITTLE_ENDIAN)
    if (!levels.hasRepetition) levels.checkRows(count, rows)
    else {
      levels.checkEncoding(page.getRlEncoding)
      levels.checkRepetition(levels.prefixed(in), count, rows)
    }
    val definition = if (levels.hasDefinition) levels.prefixed(in) else in
    if (levels.hasDefinition) {
      levels.checkEncoding(page.getDlEncoding)
      levels.checkDefinition(definition, count)
    }
    val values = in.position()
    checkValues(page.getValueEncoding, in, count, definition)
    values
  }

  /**
   * Checks a data page of version 2. If the page was selected by an offset index, parquet-java
   * relies on the number of rows in the page's header.
   *
   * @param indexed
   *   the number of rows that the page has according to the offset index; None if unknown
   */
  def pageV2(
      page: DataPageV2,
      repetition: ByteBuffer,
      definition: ByteBuffer,
      data: ByteBuffer,
      indexed: Option[Long]
  ): Unit = {
    val count = checkCount(page.getValueCount)
    checkSections(page, repetition, definition, data)
    levels.checkRows(page.getRowCount, indexed)
    val rows = Option.when(page.getFirstRowIndex.isPresent)(page.getRowCount.toLong)
    if (levels.hasRepetition) levels.checkRepetition(repetition, count, rows)
    else levels.checkRows(count, rows)
    if (levels.hasDefinition) levels.checkDefinition(definition, count)
    checkValues(page.getDataEncoding, data.order(ByteOrder.LITTLE_ENDIAN), count, definition)
  }

  /**
   * Checks the sizes of the parts of a page. If parquet-java reads a part of a negative size, it goes
   * back, and the values begin too early.
   */
  private def checkSections(
      page: DataPageV2,
      repetition: ByteBuffer,
      definition: ByteBuffer,
      data: ByteBuffer
  ): Unit = {
    val count = page.getValueCount
    if (!levels.hasRepetition) levels.checkAbsent("repetition", repetition, count)
    if (!levels.hasDefinition) levels.checkAbsent("definition", definition, count)
    val bytes = repetition.remaining.toLong + definition.remaining + data.remaining
    if (page.getUncompressedSize != bytes)
      throw corrupt(s"A page of $bytes bytes claims to hold ${page.getUncompressedSize} bytes.")
  }

  /** See [[LevelCheck.checkChunk]]. */
  def chunk(rows: Long, isLast: Boolean): Unit = levels.checkChunk(rows, isLast)

  private def checkCount(count: Int): Int =
    if (count < 0) throw corrupt(s"A page claims to have $count values.") else count

  /**
   * Checks the values of a page.
   *
   * @param definition
   *   the definition levels; not read if the column has none
   */
  private def checkValues(
      encoding: Encoding,
      in: ByteBuffer,
      count: Int,
      definition: ByteBuffer
  ): Unit = {
    lastLevels = definition
    lastCount = count
    (encoding, physicalType) match {
      case _ if encoding.usesDictionary => ids.check(in, count, definition)
      case (Encoding.PLAIN, _)          => ()
      case (Encoding.RLE, BOOLEAN)      =>
        val booleans = new HybridRuns(1).count(levels.prefixed(in))
        levels.checkPresent(booleans, "booleans", count, definition)
      case (Encoding.DELTA_BINARY_PACKED, INT32 | INT64) =>
        checkNumbers(delta.numbers(in, count), count, definition)
      case (Encoding.DELTA_LENGTH_BYTE_ARRAY, BINARY) =>
        val lengths = in.duplicate()
        val values = delta.numbers(in, count)
        checkNumbers(values, count, definition)
        delta.limitLengths(values, count)
        delta.sizes(lengths, values, in.remaining)
      case (Encoding.DELTA_BYTE_ARRAY, BINARY | FIXED_LEN_BYTE_ARRAY) =>
        val lengths = in.duplicate()
        val prefixes = delta.numbers(in, count)
        delta.limitLengths(prefixes, count)
        val suffixLengths = in.duplicate()
        val suffixes = delta.numbers(in, count)
        if (prefixes != suffixes) {
          throw corrupt(s"A page has $prefixes prefix lengths, but $suffixes suffix lengths.")
        }
        checkNumbers(suffixes, count, definition)
        delta.prefixes(lengths, suffixLengths, suffixes, in.remaining)
      case (Encoding.BYTE_STREAM_SPLIT, _) if valueWidth > 0 =>
        if (in.remaining % valueWidth != 0) {
          throw corrupt(s"${in.remaining} bytes cannot be split into values of $valueWidth bytes.")
        }
      case _ => throw corrupt(s"$physicalType values cannot be in the encoding $encoding.")
    }
  }

  /** Returns how many values of the page that was checked last are not null. */
  def presentInPage: Int = levels.present(lastCount, lastLevels)

  private def checkNumbers(found: Int, count: Int, definition: ByteBuffer): Unit =
    levels.checkPresent(found.toLong, "delta-encoded values", count, definition)

  private def corrupt(reason: String): VariantShreddedException =
    VariantShreddedErrors.corruptFile(reason, ErrorLocation())
}
