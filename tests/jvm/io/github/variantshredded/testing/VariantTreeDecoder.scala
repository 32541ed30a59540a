package io.github.variantshredded.testing

import java.math.BigInteger
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import io.github.variantshredded.testing.VariantTree._

/**
 * Decodes well-formed Variants into trees, by the letter of the spec; what is not well-formed fails
 * in any way.
 */
object VariantTreeDecoder {

  def decode(metadata: Array[Byte], value: Array[Byte]): VariantTree =
    new Values(value, names(metadata)).at(0)

  def names(metadata: Array[Byte]): Vector[String] = {
    val width = ((metadata(0) & 0xff) >>> 6) + 1
    val count = unsigned(metadata, 1, width)
    val first = 1 + width * (count + 2)
    val offsets = (0 to count).map(i => first + unsigned(metadata, 1 + width * (i + 1), width))
    offsets
      .zip(offsets.tail)
      .map { case (from, to) =>
        new String(metadata.slice(from, to), UTF_8)
      }
      .toVector
  }

  private def unsigned(bytes: Array[Byte], pos: Int, width: Int): Int =
    (0 until width).foldLeft(0L)((sum, i) => sum | (bytes(pos + i) & 0xffL) << (8 * i)).toInt

  private final class Values(bytes: Array[Byte], names: Vector[String]) {

    def at(pos: Int): VariantTree = {
      val head = bytes(pos) & 0xff
      head & 3 match {
        case 0 => primitive(head >>> 2, pos + 1)
        case 1 => Str(new String(bytes.slice(pos + 1, pos + 1 + (head >>> 2)), UTF_8))
        case 2 => obj(head >>> 2, pos + 1)
        case _ => array(head >>> 2, pos + 1)
      }
    }

    private def primitive(id: Int, pos: Int): VariantTree = id match {
      case 0  => Null
      case 1  => Bool(true)
      case 2  => Bool(false)
      case 3  => Int8(integer(pos, 1).byteValueExact)
      case 4  => Int16(integer(pos, 2).shortValueExact)
      case 5  => Int32(integer(pos, 4).intValueExact)
      case 6  => Int64(integer(pos, 8).longValueExact)
      case 7  => Dbl(java.lang.Double.longBitsToDouble(integer(pos, 8).longValueExact))
      case 8  => Decimal4(integer(pos + 1, 4).intValueExact, bytes(pos).toInt)
      case 9  => Decimal8(integer(pos + 1, 8).longValueExact, bytes(pos).toInt)
      case 10 => Decimal16(integer(pos + 1, 16), bytes(pos).toInt)
      case 11 => Date(integer(pos, 4).intValueExact)
      case 12 => TimestampMicros(integer(pos, 8).longValueExact)
      case 13 => TimestampNtzMicros(integer(pos, 8).longValueExact)
      case 14 => Flt(java.lang.Float.intBitsToFloat(integer(pos, 4).intValueExact))
      case 15 => Binary(content(pos).toVector)
      case 16 => Str(new String(content(pos), UTF_8))
      case 17 => Time(integer(pos, 8).longValueExact)
      case 18 => TimestampNanos(integer(pos, 8).longValueExact)
      case 19 => TimestampNtzNanos(integer(pos, 8).longValueExact)
      case 20 => Uuid(uuid(pos))
    }

    // A signed little-endian number.
    private def integer(pos: Int, width: Int): BigInteger =
      new BigInteger(bytes.slice(pos, pos + width).reverse)

    private def content(pos: Int): Array[Byte] =
      bytes.slice(pos + 4, pos + 4 + unsigned(bytes, pos, 4))

    private def uuid(pos: Int): UUID = {
      val half = (from: Int) => new BigInteger(bytes.slice(from, from + 8)).longValue
      new UUID(half(pos), half(pos + 8))
    }

    private def array(info: Int, pos: Int): VariantTree = {
      val countWidth = if ((info & 4) != 0) 4 else 1
      val count = unsigned(bytes, pos, countWidth)
      val width = (info & 3) + 1
      val offsets = pos + countWidth
      val data = offsets + (count + 1) * width
      // A loop without closures: deeply nested values are to fit into the stack of any thread.
      val elements = Vector.newBuilder[VariantTree]
      var i = 0
      while (i < count) {
        elements += at(data + unsigned(bytes, offsets + i * width, width))
        i += 1
      }
      Arr(elements.result())
    }

    private def obj(info: Int, pos: Int): VariantTree = {
      val countWidth = if ((info & 16) != 0) 4 else 1
      val count = unsigned(bytes, pos, countWidth)
      val idWidth = ((info >>> 2) & 3) + 1
      val width = (info & 3) + 1
      val offsets = pos + countWidth + count * idWidth
      val data = offsets + (count + 1) * width
      val fields = Vector.newBuilder[(String, VariantTree)]
      var i = 0
      while (i < count) {
        val name = names(unsigned(bytes, pos + countWidth + i * idWidth, idWidth))
        fields += name -> at(data + unsigned(bytes, offsets + i * width, width))
        i += 1
      }
      Obj(fields.result())
    }
  }
}
