package io.github.variantshredded.read.pages

import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.read.pages.check.HybridRuns
import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.column.page.{DataPage, DataPageV1, DataPageV2}

/**
 * Divides a data page into levels and values, and makes copies of the page with other ones.
 *
 * @param page
 *   a page that `PageCheck` has checked
 * @param stored
 *   the column of the file
 */
private[pages] sealed abstract class PageParts(val page: DataPage, stored: ColumnDescriptor) {
  protected val width: Int = BytesUtils.getWidthFromMaxInt(stored.getMaxDefinitionLevel)

  /** Returns the encoding of the values. */
  def encoding: Encoding

  /** Returns the definition levels, as runs without their length; empty if there are none. */
  def definition: ByteBuffer

  def values: ByteBuffer

  /** Returns the page with other values. */
  def withValues(values: BytesInput, encoding: Encoding): DataPage

  /**
   * Returns the page with other bytes of definition levels, of which it must have some.
   *
   * @param levels
   *   runs without their length
   */
  def withDefinition(levels: BytesInput): DataPage

  /** Returns the number of values that are not null. */
  def present: Int =
    if (width == 0) page.getValueCount
    else new HybridRuns(width).countOf(definition, stored.getMaxDefinitionLevel, page.getValueCount)
}

private[pages] object PageParts {

  def of(page: DataPage, stored: ColumnDescriptor): PageParts =
    page.accept(new DataPage.Visitor[PageParts] {
      override def visit(v1: DataPageV1): PageParts = new OfV1(v1, stored)
      override def visit(v2: DataPageV2): PageParts = new OfV2(v2, stored)
    })

  /** A page of version 1 holds levels and values in one piece. */
  private final class OfV1(v1: DataPageV1, stored: ColumnDescriptor) extends PageParts(v1, stored) {
    private val bytes = v1.getBytes.toInputStream.readAllBytes()

    private val definitionStart =
      if (stored.getMaxRepetitionLevel == 0) 0 else afterLevels(0)
    private val valuesStart =
      if (width == 0) definitionStart else afterLevels(definitionStart)

    private def afterLevels(start: Int): Int =
      start + 4 + ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(start)

    override def encoding: Encoding = v1.getValueEncoding

    override def definition: ByteBuffer = {
      val start = if (width == 0) definitionStart else definitionStart + 4
      ByteBuffer.wrap(bytes, start, valuesStart - start)
    }

    override def values: ByteBuffer =
      ByteBuffer.wrap(bytes, valuesStart, bytes.length - valuesStart)

    override def withValues(values: BytesInput, encoding: Encoding): DataPage = {
      val levels = BytesInput.from(bytes, 0, valuesStart)
      PageCopies.v1(v1, BytesInput.concat(levels, values), encoding)
    }

    override def withDefinition(levels: BytesInput): DataPage = {
      val input = BytesInput.concat(
        BytesInput.from(bytes, 0, definitionStart),
        BytesInput.fromInt(levels.size.toInt),
        levels,
        BytesInput.from(bytes, valuesStart, bytes.length - valuesStart)
      )
      PageCopies.v1(v1, input, encoding)
    }
  }

  private final class OfV2(v2: DataPageV2, stored: ColumnDescriptor) extends PageParts(v2, stored) {

    override def encoding: Encoding = v2.getDataEncoding

    override def definition: ByteBuffer =
      ByteBuffer.wrap(v2.getDefinitionLevels.toInputStream.readAllBytes())

    override def values: ByteBuffer = ByteBuffer.wrap(v2.getData.toInputStream.readAllBytes())

    override def withValues(values: BytesInput, encoding: Encoding): DataPage =
      PageCopies.v2(v2, v2.getRepetitionLevels, v2.getDefinitionLevels, values, encoding)

    override def withDefinition(levels: BytesInput): DataPage =
      PageCopies.v2(v2, v2.getRepetitionLevels, levels, v2.getData, encoding)
  }
}
