package io.github.variantshredded.read.pages.check

import java.nio.ByteBuffer

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.parquet.bytes.BytesUtils
import org.apache.parquet.column.{ColumnDescriptor, Encoding}

/**
 * Checks the repetition and definition levels of the pages of a column (see [[PageCheck]]), and
 * counts rows and values by them.
 */
private[check] final class LevelCheck(descriptor: ColumnDescriptor) {

  private val repetitionWidth = BytesUtils.getWidthFromMaxInt(descriptor.getMaxRepetitionLevel)
  private val definitionWidth = BytesUtils.getWidthFromMaxInt(descriptor.getMaxDefinitionLevel)

  /** The number of rows that begin in the pages so far; not counted without repetition. */
  private var rowsBegun = 0L

  def hasRepetition: Boolean = repetitionWidth > 0

  def hasDefinition: Boolean = definitionWidth > 0

  /**
   * Checks what a page has in the place of levels that its column does not have. Presto, Athena and
   * earlier versions of Trino write the headers of runs there, which have no bytes of levels. Spark's
   * decoder ignores these bytes, and reads the values from where they end. So they must not be
   * values.
   */
  def checkAbsent(kind: String, section: ByteBuffer, count: Int): Unit =
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
  def checkChunk(rows: Long, isLast: Boolean): Unit =
    if (hasRepetition && (rowsBegun > rows || (isLast && rowsBegun < rows))) {
      val found = if (isLast) s"$rowsBegun" else s"at least $rowsBegun"
      throw corrupt(s"A column chunk has $found rows in a row group of $rows rows.")
    }

  /**
   * Checks repetition levels. A row begins at each level 0.
   *
   * @param rows
   *   the number of rows that the page must have; None if it was not selected by an offset index
   */
  def checkRepetition(levels: ByteBuffer, count: Int, rows: Option[Long]): Unit = {
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

  def checkDefinition(levels: ByteBuffer, count: Int): Unit =
    checkRuns(levels, definitionWidth, descriptor.getMaxDefinitionLevel, count)

  def checkRows(found: Int, claimed: Option[Long]): Unit = claimed.foreach { rows =>
    if (found != rows)
      throw corrupt(s"A page has $found rows, but its header or its index claims $rows.")
  }

  def checkEncoding(encoding: Encoding): Unit = encoding match {
    case Encoding.RLE                        => ()
    case other if other.name == "BIT_PACKED" =>
      throw VariantShreddedErrors.unreadableFile(
        "The levels are in the deprecated encoding BIT_PACKED.",
        ErrorLocation()
      )
    case other => throw corrupt(s"Levels cannot be in the encoding $other.")
  }

  /** Returns the bytes of a section that is prefixed by its length, and moves `in` past it. */
  def prefixed(in: ByteBuffer): ByteBuffer = {
    val length = if (in.remaining < 4) -1 else in.getInt()
    if (length < 0 || length > in.remaining) {
      throw corrupt(s"A page claims $length bytes of levels, but has ${in.remaining} bytes left.")
    }
    val section = in.duplicate().limit(in.position() + length)
    in.position(in.position() + length)
    section
  }

  /** Checks that a page has a value for each definition level that is not null. */
  def checkPresent(found: Long, what: String, count: Int, definition: ByteBuffer): Unit =
    if (found < count) {
      val needed = present(count, definition)
      if (found < needed) throw corrupt(s"A page of $needed values has $found $what.")
    }

  /** Returns how many of the `count` values are not null. */
  def present(count: Int, definition: ByteBuffer): Int =
    if (!hasDefinition) count
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
