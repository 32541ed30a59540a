package io.github.variantshredded.read.pages.check

import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.parquet.bytes.BytesUtils
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

  /** The number of values in the dictionary; Int.MaxValue until the dictionary has been read. */
  private var dictionarySize = Int.MaxValue

  /** The number of rows that begin in the pages so far; not counted without repetition. */
  private var rowsBegun = 0L

  private val repetitionWidth = BytesUtils.getWidthFromMaxInt(descriptor.getMaxRepetitionLevel)
  private val definitionWidth = BytesUtils.getWidthFromMaxInt(descriptor.getMaxDefinitionLevel)

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
    dictionarySize = values
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
    if (repetitionWidth == 0) checkRows(count, rows)
    else {
      checkLevels(page.getRlEncoding)
      checkRepetition(prefixed(in), count, rows)
    }
    val definition = if (definitionWidth == 0) in else prefixed(in)
    if (definitionWidth > 0) {
      checkLevels(page.getDlEncoding)
      checkDefinition(definition, count)
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
    checkRows(page.getRowCount, indexed)
    val rows = Option.when(page.getFirstRowIndex.isPresent)(page.getRowCount.toLong)
    if (repetitionWidth == 0) checkRows(count, rows)
    else checkRepetition(repetition, count, rows)
    if (definitionWidth > 0) checkDefinition(definition, count)
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
    if (repetitionWidth == 0) checkNoLevels("repetition", repetition, count)
    if (definitionWidth == 0) checkNoLevels("definition", definition, count)
    val bytes = repetition.remaining.toLong + definition.remaining + data.remaining
    if (page.getUncompressedSize != bytes)
      throw corrupt(s"A page of $bytes bytes claims to hold ${page.getUncompressedSize} bytes.")
  }

  /**
   * Checks what a page has in the place of levels that its column does not have. Presto, Athena and
   * earlier versions of Trino write the headers of runs there, which have no bytes of levels. Spark's
   * decoder ignores these bytes, and reads the values from where they end. So they must not be
   * values.
   */
  private def checkNoLevels(kind: String, section: ByteBuffer, count: Int): Unit =
    if (section.hasRemaining && !areHeaders(section.duplicate(), count))
      throw corrupt(
        s"A page has ${section.remaining} bytes of $kind levels, but its column has no such levels."
      )

  /** Returns whether the bytes are the headers of runs that have `count` levels of no bits. */
  private def areHeaders(in: ByteBuffer, count: Int): Boolean =
    try {
      var found = 0L
      while (in.hasRemaining) found += HybridRuns.valuesOf(HybridRuns.unsigned(in))
      // Eight levels are packed together. The last ones may be padding.
      found >= count && found - count < 8
    } catch { case _: VariantShreddedException => false }

  /**
   * Checks, after each page of a column chunk that is read whole, how many rows begin in its pages
   * so far: as many as the row group has after the last page, and never more. If a level is wrong,
   * Spark's decoder gives rows the values of others, and may never ask for the last page.
   */
  def chunk(rows: Long, isLast: Boolean): Unit =
    if (repetitionWidth > 0 && (rowsBegun > rows || (isLast && rowsBegun < rows))) {
      val found = if (isLast) s"$rowsBegun" else s"at least $rowsBegun"
      throw corrupt(s"A column chunk has $found rows in a row group of $rows rows.")
    }

  private def checkCount(count: Int): Int =
    if (count < 0) throw corrupt(s"A page claims to have $count values.") else count

  /**
   * Checks repetition levels. A row begins at each level 0.
   *
   * @param rows
   *   the number of rows that the page must have; None if it was not selected by an offset index
   */
  private def checkRepetition(levels: ByteBuffer, count: Int, rows: Option[Long]): Unit = {
    checkRuns(levels, repetitionWidth, descriptor.getMaxRepetitionLevel, count)
    val begun = rowsIn(levels, count)
    rowsBegun += begun
    checkRows(begun, rows)
    // The row would lack what the page before has of it, and that page may not have been fetched.
    if (rows.isDefined && count > 0 && rowsIn(levels, 1) == 0)
      throw corrupt("A page that was selected by an offset index begins within a row.")
  }

  /** Returns how many rows begin in the first `count` levels. */
  private def rowsIn(levels: ByteBuffer, count: Int): Int =
    new HybridRuns(repetitionWidth).countOf(levels.duplicate(), 0, count)

  private def checkDefinition(levels: ByteBuffer, count: Int): Unit =
    checkRuns(levels, definitionWidth, descriptor.getMaxDefinitionLevel, count)

  private def checkRows(found: Int, claimed: Option[Long]): Unit = claimed.foreach { rows =>
    if (found != rows)
      throw corrupt(s"A page has $found rows, but its header or its index claims $rows.")
  }

  private def checkLevels(encoding: Encoding): Unit = encoding match {
    case Encoding.RLE                        => ()
    case other if other.name == "BIT_PACKED" =>
      throw VariantShreddedErrors.unreadableFile(
        "The levels are in the deprecated encoding BIT_PACKED.",
        ErrorLocation()
      )
    case other => throw corrupt(s"Levels cannot be in the encoding $other.")
  }

  /** Returns the bytes of a section that is prefixed by its length, and moves `in` past it. */
  private def prefixed(in: ByteBuffer): ByteBuffer = {
    val length = if (in.remaining < 4) -1 else in.getInt()
    if (length < 0 || length > in.remaining) {
      throw corrupt(s"A page claims $length bytes of levels, but has ${in.remaining} bytes left.")
    }
    val section = in.duplicate().limit(in.position() + length)
    in.position(in.position() + length)
    section
  }

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
      case _ if encoding.usesDictionary => checkIds(in, count, definition)
      case (Encoding.PLAIN, _)          => ()
      case (Encoding.RLE, BOOLEAN)      =>
        checkPresent(new HybridRuns(1).count(prefixed(in)), "booleans", count, definition)
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

  private def checkIds(in: ByteBuffer, count: Int, definition: ByteBuffer): Unit = {
    val width = if (in.hasRemaining) in.get() & 0xff else -1
    if (width < 0) checkPresent(0, "dictionary ids", count, definition)
    else if (width == 0) {
      if (dictionarySize == 0) checkFirstUnknown(0, count, definition)
    } else if (width <= 32) {
      // Bytes after the last id need not be a run. Only if they are none, the ids are counted.
      try checkIdRuns(in, width, count, count, definition)
      catch {
        case _: VariantShreddedException =>
          checkIdRuns(in, width, present(count, definition), count, definition)
      }
    }
  }

  /**
   * Checks ids up to the run in which the number `most` is reached.
   *
   * @param count
   *   the number of values of the page, nulls included
   */
  private def checkIdRuns(
      in: ByteBuffer,
      width: Int,
      most: Int,
      count: Int,
      definition: ByteBuffer
  ): Unit = {
    val runs = new HybridRuns(width)
    checkPresent(runs.count(in.duplicate(), most.toLong), "dictionary ids", count, definition)
    val unknown = runs.firstFrom(in.duplicate(), dictionarySize, most.toLong)
    checkFirstUnknown(unknown, count, definition)
  }

  /**
   * Refuses a page with an id that the dictionary does not have.
   *
   * @param first
   *   index of the first such id, -1 if there is none; ids after the last value are padding and may
   *   be anything
   */
  private def checkFirstUnknown(first: Long, count: Int, definition: ByteBuffer): Unit =
    if (first >= 0 && first < present(count, definition)) {
      throw corrupt(s"A page has an id that is not in the dictionary of $dictionarySize values.")
    }

  /** Checks that a page has a value for each definition level that is not null. */
  private def checkPresent(found: Long, what: String, count: Int, definition: ByteBuffer): Unit =
    if (found < count) {
      val needed = present(count, definition)
      if (found < needed) throw corrupt(s"A page of $needed values has $found $what.")
    }

  /** Returns how many values of the page that was checked last are not null. */
  def presentInPage: Int = present(lastCount, lastLevels)

  private def checkNumbers(found: Int, count: Int, definition: ByteBuffer): Unit =
    checkPresent(found.toLong, "delta-encoded values", count, definition)

  /** Returns how many of the `count` values are not null. */
  private def present(count: Int, definition: ByteBuffer): Int =
    if (definitionWidth == 0) count
    else {
      val runs = new HybridRuns(definitionWidth)
      runs.countOf(definition.duplicate(), descriptor.getMaxDefinitionLevel, count)
    }

  /** Checks that a page has `needed` levels, and that none is greater than `greatest`. */
  private def checkRuns(levels: ByteBuffer, width: Int, greatest: Int, needed: Int): Unit = {
    val runs = new HybridRuns(width)
    val count = runs.count(levels.duplicate(), needed.toLong)
    if (count < needed) throw corrupt(s"A page of $needed values has $count levels.")
    val first = runs.firstFrom(levels.duplicate(), greatest + 1, needed.toLong)
    if (first >= 0 && first < needed)
      throw corrupt(
        s"Value $first of a page has a level above $greatest, the maximum of its column."
      )
  }

  private def corrupt(reason: String): VariantShreddedException =
    VariantShreddedErrors.corruptFile(reason, ErrorLocation())
}
