package io.github.variantshredded.read.pages.check

import java.io.EOFException

import org.apache.parquet.bytes.ByteBufferInputStream
import org.apache.parquet.format.{PageHeader, PageType, Util}

/**
 * Reads the sizes and counts of a page header (`PageHeader` of the Parquet format, in Thrift's
 * compact encoding) without creating objects for its other fields. Headers in an unusual form are
 * left to the full parser.
 */
private[read] final class PageCounts {
  import PageCounts._

  var compressedSize: Int = 0

  /** The number of values in a data page; 0 for other pages. */
  var values: Int = 0

  /**
   * The number of bytes of repetition levels that a data page of version 2 claims; 0 for other
   * pages.
   */
  var repetitionBytes: Int = 0
  var definitionBytes: Int = 0

  private var in: ByteBufferInputStream = _

  /**
   * Reads a header, and moves `in` past it.
   *
   * @throws java.io.IOException
   *   if the header is cut off or invalid
   * @throws org.apache.parquet.format.InvalidParquetMetadataException
   *   if the full parser finds a negative size
   * @throws java.lang.NullPointerException
   *   if the full parser finds a binary of negative length
   */
  def read(in: ByteBufferInputStream): Unit = {
    this.in = in
    in.mark(Int.MaxValue)
    clear()
    if (!header()) {
      in.reset()
      clear()
      fully(Util.readPageHeader(in))
    }
  }

  private def clear(): Unit = {
    compressedSize = 0
    values = 0
    repetitionBytes = 0
    definitionBytes = 0
  }

  private def fully(header: PageHeader): Unit = {
    compressedSize = header.getCompressed_page_size
    if (header.getType == PageType.DATA_PAGE_V2 && header.isSetData_page_header_v2) {
      val page = header.getData_page_header_v2
      values = page.getNum_values
      repetitionBytes = page.getRepetition_levels_byte_length
      definitionBytes = page.getDefinition_levels_byte_length
    } else if (header.isSetData_page_header) {
      values = header.getData_page_header.getNum_values
    }
  }

  /** Reads the fields of `PageHeader`. Returns false if the header has an unusual form. */
  private def header(): Boolean = {
    var pageType = -1
    var seen = 0
    var field = 0
    var tag = byte()
    while (tag != Stop && field >= 0) {
      field = next(field, tag)
      val isKnown = tag & 0x0f match {
        case I32 =>
          val number = zigzag()
          if (field == Type) pageType = number
          else if (field == CompressedSize) compressedSize = number
          true
        case Struct =>
          if (field == DataPage) dataPage(isVersion2 = false)
          else if (field == DataPageV2) dataPage(isVersion2 = true)
          else skipStruct(0)
        case _ => false
      }
      if (isKnown && field > 0) {
        seen |= 1 << field
        tag = byte()
      } else field = -1
    }
    field > 0 && (seen & 1 << CompressedSize) != 0 && (pageType match {
      case 0 => (seen & Contents) == 1 << DataPage
      case 2 => (seen & Contents) == 1 << DictionaryPage
      case 3 => (seen & Contents) == 1 << DataPageV2
      case _ => false
    })
  }

  private def dataPage(isVersion2: Boolean): Boolean = {
    var seen = 0
    var field = 0
    var tag = byte()
    while (tag != Stop && field >= 0) {
      field = next(field, tag)
      val kind = tag & 0x0f
      val isKnown =
        if (kind == I32) {
          val number = zigzag()
          if (field == 1) values = number
          else if (isVersion2 && field == 5) definitionBytes = number
          else if (isVersion2 && field == 6) repetitionBytes = number
          true
        } else skip(kind, 0)
      if (isKnown && field > 0) {
        if (kind == I32) seen |= 1 << field
        tag = byte()
      } else field = -1
    }
    val required = if (isVersion2) CountsOfVersion2 else CountsOfVersion1
    field > 0 && (seen & required) == required
  }

  /**
   * Returns the number of the field with this tag; -1 if the tag has no step from the field before.
   */
  private def next(before: Int, tag: Int): Int = {
    val step = tag >>> 4
    if (step == 0 || before + step > MaxField) -1 else before + step
  }

  private def skip(kind: Int, depth: Int): Boolean = kind match {
    case True | False => true
    case I32 | I64    => skipVarint()
    case Binary       =>
      val length = varint()
      length >= 0 && {
        if (length > in.available) throw new EOFException
        in.skipFully(length.toLong)
        true
      }
    case Struct => depth < MaxNesting && skipStruct(depth + 1)
    case _      => false
  }

  private def skipStruct(depth: Int): Boolean = {
    var tag = byte()
    // Only the end of the struct matters, so field numbers are ignored. A tag without a step is
    // left to the full parser.
    while (tag != Stop && tag >>> 4 != 0 && skip(tag & 0x0f, depth)) tag = byte()
    tag == Stop
  }

  private def byte(): Int = {
    val next = in.read()
    if (next < 0) throw new EOFException
    next
  }

  private def skipVarint(): Boolean = {
    while ((byte() & 0x80) != 0) {}
    true
  }

  private def varint(): Int = {
    var value = 0
    var shift = 0
    var more = true
    while (more) {
      val next = byte()
      value |= (next & 0x7f) << shift
      shift += 7
      more = (next & 0x80) != 0
    }
    value
  }

  private def zigzag(): Int = {
    val value = varint()
    (value >>> 1) ^ -(value & 1)
  }
}

private object PageCounts {

  // Types of values in Thrift's compact encoding.
  private final val Stop = 0
  private final val True = 1
  private final val False = 2
  private final val I32 = 5
  private final val I64 = 6
  private final val Binary = 8
  private final val Struct = 12

  // Fields of `PageHeader`.
  private final val Type = 1
  private final val CompressedSize = 3
  private final val DataPage = 5
  private final val DictionaryPage = 7
  private final val DataPageV2 = 8
  private final val Contents = 1 << DataPage | 1 << 6 | 1 << DictionaryPage | 1 << DataPageV2

  private final val MaxField = 8
  private final val MaxNesting = 8

  // The required fields of a data page header, as bits by field number.
  private final val CountsOfVersion1 = 1 << 1
  private final val CountsOfVersion2 = 1 << 1 | 1 << 5 | 1 << 6
}
