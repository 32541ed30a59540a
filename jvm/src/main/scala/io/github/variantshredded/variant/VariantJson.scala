package io.github.variantshredded.variant

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.time.ZoneId
import java.util.Arrays

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.variant.VariantConstants._
import org.apache.spark.types.variant.{Variant, VariantUtil}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Writes Variants as JSON, with the same bytes as Spark's `Variant.toJson`. It writes directly from
 * the bytes of the Variant, whereas Spark builds Strings and a JSON generator for each value.
 *
 * This class writes objects, arrays, strings, integers, booleans, nulls and finite doubles. Spark
 * writes the other types. If a value is malformed, Spark writes the whole value, so that the error
 * is Spark's. There is one exception: if parts of a value overlap, a few bytes can make an endless
 * text, and this class throws `MALFORMED_VARIANT`.
 *
 * One instance serves one thread.
 */
private[variantshredded] final class VariantJson(zone: ZoneId) {
  import VariantJson._

  private var out = new Array[Byte](4096)
  private var size = 0
  private var value = Array.emptyByteArray
  private var metadata = Array.emptyByteArray
  private val names = new JsonNames

  /** Number of bytes of the value that may still be read. */
  private var left = 0L

  /** Returns the JSON text of a Variant. */
  def write(value: Array[Byte], metadata: Array[Byte]): UTF8String = {
    size = 0
    this.value = value
    this.metadata = metadata
    left = VariantExtent.most(value)
    val isWritten = value.length <= SizeLimit && metadata.length <= SizeLimit &&
      names.load(metadata) && write(0, MaxDepth)
    if (isWritten) UTF8String.fromBytes(Arrays.copyOf(out, size))
    else {
      if (VariantExtent.isExceeded(value)) {
        throw VariantShreddedErrors.malformedVariant("Its parts overlap.", ErrorLocation())
      }
      UTF8String.fromString(new Variant(value, metadata).toJson(zone))
    }
  }

  // Each method below returns false if Spark has to write the value.
  private def write(pos: Int, depthLeft: Int): Boolean =
    pos < value.length && isLeft(1) && {
      val header = value(pos) & 0xff
      ValueHeader.basicType(header) match {
        case BasicShortString => writeString(pos + 1, ValueHeader.info(header))
        case BasicPrimitive   => writePrimitive(pos, ValueHeader.info(header))
        case BasicObject      => depthLeft > 0 && writeObject(pos, header, depthLeft - 1)
        case _                => depthLeft > 0 && writeArray(pos, header, depthLeft - 1)
      }
    }

  private def writePrimitive(pos: Int, id: Int): Boolean = {
    val left = value.length - pos
    id match {
      case Null       => put(NullText)
      case True       => put(TrueText)
      case False      => put(FalseText)
      case Int8       => left >= 2 && putLong(value(pos + 1).toLong)
      case Int16      => left >= 3 && putLong(LittleEndian.getShort(value, pos + 1).toLong)
      case Int32      => left >= 5 && putLong(LittleEndian.getInt(value, pos + 1).toLong)
      case Int64      => left >= 9 && putLong(LittleEndian.getLong(value, pos + 1))
      case LongString => left >= 5 && writeString(pos + 5, LittleEndian.getInt(value, pos + 1))
      case Double     =>
        left >= 9 && {
          val number = java.lang.Double.longBitsToDouble(LittleEndian.getLong(value, pos + 1))
          java.lang.Double.isFinite(number) && put(number.toString.getBytes(ISO_8859_1))
        }
      case _ => leaveToSpark(pos)
    }
  }

  private def leaveToSpark(pos: Int): Boolean = {
    val size = VariantUtil.valueSize(value, pos)
    size > 0 && size <= value.length - pos && isLeft(size - 1) && {
      val leaf = Arrays.copyOfRange(value, pos, pos + size)
      put(new Variant(leaf, metadata).toJson(zone).getBytes(UTF_8))
    }
  }

  private def writeString(start: Int, length: Int): Boolean =
    length >= 0 && length <= value.length - start && isLeft(length) && {
      val end = start + length
      Utf8.firstMalformed(value, start, end) < 0 && {
        reserve(2L + length * LongestEscape) && {
          size = JsonText.quoted(value, start, end, out, size)
          true
        }
      }
    }

  private def writeArray(pos: Int, header: Int, depthLeft: Int): Boolean = {
    val count = ContainerHeader.count(value, pos, value.length, header)
    count >= 0 && {
      val width = ContainerHeader.offsetWidth(header)
      val offsetsAt = ContainerHeader.listsStart(pos, header)
      val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
      var isWritten = put('[')
      var i = 0
      while (i < count && isWritten) {
        isWritten =
          (i == 0 || put(',')) && writeChild(dataPos, offsetsAt + i * width, width, depthLeft)
        i += 1
      }
      isWritten && put(']')
    }
  }

  private def writeObject(pos: Int, header: Int, depthLeft: Int): Boolean = {
    val count = ContainerHeader.count(value, pos, value.length, header)
    count >= 0 && {
      val idWidth = ContainerHeader.idWidth(header)
      val width = ContainerHeader.offsetWidth(header)
      val idsAt = ContainerHeader.listsStart(pos, header)
      val offsetsAt = idsAt + count * idWidth
      val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
      var isWritten = put('{')
      var i = 0
      while (i < count && isWritten) {
        val id = LittleEndian.getUnsigned(value, idsAt + i * idWidth, idWidth)
        isWritten = (i == 0 || put(',')) && id < names.size && put(names.text(id.toInt)) &&
          writeChild(dataPos, offsetsAt + i * width, width, depthLeft)
        i += 1
      }
      isWritten && put('}')
    }
  }

  private def writeChild(dataPos: Int, offsetAt: Int, width: Int, depthLeft: Int): Boolean = {
    val offset = LittleEndian.getUnsigned(value, offsetAt, width)
    offset < value.length - dataPos && write(dataPos + offset.toInt, depthLeft)
  }

  private def isLeft(bytes: Int): Boolean = {
    left -= bytes
    left >= 0
  }

  private def put(char: Char): Boolean = reserve(1) && {
    out(size) = char.toByte
    size += 1
    true
  }

  private def put(text: Array[Byte]): Boolean = reserve(text.length.toLong) && {
    System.arraycopy(text, 0, out, size, text.length)
    size += text.length
    true
  }

  private def putLong(number: Long): Boolean = reserve(LongestLong) && {
    size = JsonText.long(number, out, size)
    true
  }

  /** Ensures room for `count` bytes. Returns false if the text becomes longer than [[MaxText]]. */
  private def reserve(count: Long): Boolean = size + count <= out.length || {
    val needed = size + count
    needed <= MaxText && {
      out = Arrays.copyOf(out, math.min(MaxText.toLong, math.max(needed, out.length * 2L)).toInt)
      true
    }
  }
}

private object VariantJson {

  /** Deeper values would take too much of the stack. */
  private final val MaxDepth = DefaultMaxDepth

  private final val MaxText = 1 << 30
  private final val LongestEscape = 6L
  private final val LongestLong = 20L

  private val NullText = "null".getBytes(ISO_8859_1)
  private val TrueText = "true".getBytes(ISO_8859_1)
  private val FalseText = "false".getBytes(ISO_8859_1)
}

/** Caches the names of the last metadata as JSON strings, each followed by a colon. */
private final class JsonNames {
  private var dictionary = MetadataDictionary.Empty
  private var texts = new Array[Array[Byte]](0)

  def size: Int = texts.length

  /** Parses the metadata if it has changed. Returns false if it is malformed. */
  def load(metadata: Array[Byte]): Boolean =
    Arrays.equals(dictionary.bytes, metadata) || {
      val parsed =
        try MetadataDictionary.parse(metadata.clone(), 0, metadata.length)
        catch { case _: io.github.variantshredded.errors.VariantShreddedException => null }
      parsed != null && {
        dictionary = parsed
        texts = new Array[Array[Byte]](parsed.size)
        true
      }
    }

  def text(id: Int): Array[Byte] = {
    val known = texts(id)
    if (known != null) known
    else {
      val start = dictionary.keyOffset(id)
      val length = dictionary.keyLength(id)
      val room = new Array[Byte](length * 6 + 3)
      val end = JsonText.quoted(dictionary.bytes, start, start + length, room, 0)
      room(end) = ':'
      texts(id) = Arrays.copyOf(room, end + 1)
      texts(id)
    }
  }
}

/** Writes strings and numbers as Jackson does. */
private object JsonText {
  private val Hex = "0123456789ABCDEF".getBytes(ISO_8859_1)

  // 0: unchanged; 'u': as a code such as \u001F; otherwise the character after the backslash.
  private val Escapes: Array[Byte] = {
    val table = new Array[Byte](256)
    (0 until 0x20).foreach(table(_) = 'u')
    "\bb\tt\nn\ff\rr\"\"\\\\".grouped(2).foreach(pair => table(pair(0)) = pair(1).toByte)
    table
  }

  /**
   * Writes well-formed UTF-8 in quotes.
   *
   * @param out
   *   has room for two quotes, and for six bytes for each byte of [start, end)
   * @return
   *   the position after the text
   */
  def quoted(bytes: Array[Byte], start: Int, end: Int, out: Array[Byte], at: Int): Int = {
    out(at) = '"'
    var to = at + 1
    var from = start
    while (from < end) {
      val next = plainUntil(bytes, from, end)
      System.arraycopy(bytes, from, out, to, next - from)
      to += next - from
      from = next
      if (from < end) {
        to = escape(bytes(from), out, to)
        from += 1
      }
    }
    out(to) = '"'
    to + 1
  }

  private def plainUntil(bytes: Array[Byte], start: Int, end: Int): Int = {
    var i = start
    while (i < end && Escapes(bytes(i) & 0xff) == 0) i += 1
    i
  }

  private def escape(byte: Byte, out: Array[Byte], at: Int): Int = {
    val kind = Escapes(byte & 0xff)
    out(at) = '\\'
    out(at + 1) = kind
    if (kind != 'u') at + 2
    else {
      out(at + 2) = '0'
      out(at + 3) = '0'
      out(at + 4) = Hex(byte >> 4)
      out(at + 5) = Hex(byte & 15)
      at + 6
    }
  }

  /** Writes a number in decimal, in up to 20 bytes, and returns the position after it. */
  def long(number: Long, out: Array[Byte], at: Int): Int =
    if (number == Long.MinValue) {
      val text = number.toString.getBytes(ISO_8859_1)
      System.arraycopy(text, 0, out, at, text.length)
      at + text.length
    } else {
      var start = at
      if (number < 0) {
        out(at) = '-'
        start += 1
      }
      var rest = math.abs(number)
      var digits = 1
      var power = 10L
      while (digits < 19 && rest >= power) {
        digits += 1
        power *= 10
      }
      var i = start + digits - 1
      while (i >= start) {
        val tens = rest / 10
        out(i) = ('0' + (rest - tens * 10)).toByte
        rest = tens
        i -= 1
      }
      start + digits
    }
}
