package io.github.variantshredded.testing

import java.io.ByteArrayOutputStream
import java.math.BigInteger
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, UUID}

import scala.util.Random

import io.github.variantshredded.testing.VariantTree._

/** Encodes trees by the letter of the spec, slowly; the product has its own encoder. */
object VariantTreeEncoder {

  private val byUnits: Ordering[String] = Ordering.String

  private val byBytes: Ordering[String] =
    (a, b) => Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8))

  def plain(tree: VariantTree): (Array[Byte], Array[Byte]) = {
    val names = fieldNames(tree).sorted(byUnits)
    (metadata(names, sorted = false, width(names)), new Values(names, None, byUnits).encode(tree))
  }

  def random(tree: VariantTree, seed: Long): (Array[Byte], Array[Byte]) = {
    val rng = new Random(seed)
    val needed = fieldNames(tree)
    val extra = Vector.fill(rng.nextInt(3))(rng.alphanumeric.take(rng.nextInt(6)).mkString)
    val order = if (rng.nextBoolean()) byUnits else byBytes
    val isSorted = rng.nextInt(3) == 0
    val names =
      if (isSorted) (needed ++ extra).distinct.sorted(order)
      else rng.shuffle(needed ++ extra ++ needed.filter(_ => rng.nextInt(4) == 0))
    val wider = math.min(4, width(names) + rng.nextInt(3))
    (metadata(names, isSorted, wider), new Values(names, Some(rng), order).encode(tree))
  }

  /** A value alone, in one of its legal encodings, with field ids of a dictionary of `names`. */
  def value(tree: VariantTree, names: Vector[String], seed: Long): Array[Byte] = {
    val rng = new Random(seed)
    val order = if (rng.nextBoolean()) byUnits else byBytes
    new Values(names, Some(rng), order).encode(tree)
  }

  /** A metadata with the given names, whatever they are. */
  def metadata(names: Vector[String], sorted: Boolean, width: Int): Array[Byte] = {
    val encoded = names.map(_.getBytes(UTF_8))
    val out = new ByteArrayOutputStream
    out.write(1 | (if (sorted) 0x10 else 0) | (width - 1) << 6)
    put(out, names.size.toLong, width)
    encoded.scanLeft(0)(_ + _.length).foreach(offset => put(out, offset.toLong, width))
    encoded.foreach(out.writeBytes)
    out.toByteArray
  }

  /** The distinct names of all fields in the tree, in the order of their first use. */
  def fieldNames(tree: VariantTree): Vector[String] =
    subtrees(tree).collect { case Obj(fields) => fields.map(_._1) }.flatten.toVector.distinct

  private def width(names: Vector[String]): Int =
    widthOf(math.max(names.map(_.getBytes(UTF_8).length).sum, names.size).toLong)

  private def widthOf(value: Long): Int = (1 to 4).find(n => value < (1L << (8 * n))).get

  private def put(out: ByteArrayOutputStream, value: Long, width: Int): Unit =
    (0 until width).foreach(i => out.write((value >>> (8 * i)).toInt))

  private final class Values(
      names: Vector[String],
      rng: Option[Random],
      fieldOrder: Ordering[String]
  ) {

    private val ids: Map[String, Vector[Int]] = names.zipWithIndex.groupMap(_._1)(_._2)

    def encode(tree: VariantTree): Array[Byte] = tree match {
      case Arr(elements) => array(elements.map(encode))
      case Obj(fields)   => obj(fields)
      case other         => primitive(other)
    }

    // A method of its own, so that a level of a deep tree takes few bytes of the stack.
    private def primitive(tree: VariantTree): Array[Byte] = tree match {
      case Null                       => Array[Byte](0)
      case Bool(value)                => Array[Byte](if (value) 4 else 8)
      case Int8(value)                => number(3, value.toLong, 1)
      case Int16(value)               => number(4, value.toLong, 2)
      case Int32(value)               => number(5, value.toLong, 4)
      case Int64(value)               => number(6, value, 8)
      case Dbl(value)                 => number(7, java.lang.Double.doubleToRawLongBits(value), 8)
      case Decimal4(unscaled, scale)  => decimal(8, BigInteger.valueOf(unscaled.toLong), scale, 4)
      case Decimal8(unscaled, scale)  => decimal(9, BigInteger.valueOf(unscaled), scale, 8)
      case Decimal16(unscaled, scale) => decimal(10, unscaled, scale, 16)
      case Date(days)                 => number(11, days.toLong, 4)
      case TimestampMicros(micros)    => number(12, micros, 8)
      case TimestampNtzMicros(micros) => number(13, micros, 8)
      case Flt(value)            => number(14, java.lang.Float.floatToRawIntBits(value).toLong, 4)
      case Binary(bytes)         => number(15, bytes.size.toLong, 4) ++ bytes
      case Str(value)            => string(value.getBytes(UTF_8))
      case Time(micros)          => number(17, micros, 8)
      case TimestampNanos(nanos) => number(18, nanos, 8)
      case TimestampNtzNanos(nanos) => number(19, nanos, 8)
      case Uuid(value)              => uuid(value)
      case _: Arr | _: Obj          => throw new IllegalArgumentException(s"$tree is a container")
    }

    private def chance(oneIn: Int): Boolean = rng.exists(_.nextInt(oneIn) == 0)

    private def someWidth(value: Long): Int =
      math.min(4, widthOf(value) + rng.fold(0)(r => if (r.nextBoolean()) 0 else r.nextInt(4)))

    private def number(id: Int, value: Long, width: Int): Array[Byte] = {
      val out = new ByteArrayOutputStream
      out.write(id << 2)
      put(out, value, width)
      out.toByteArray
    }

    private def decimal(id: Int, unscaled: BigInteger, scale: Int, width: Int): Array[Byte] =
      Array((id << 2).toByte, scale.toByte) ++
        (0 until width).map(i => unscaled.shiftRight(8 * i).byteValue)

    private def string(utf8: Array[Byte]): Array[Byte] =
      if (utf8.length < 64 && !chance(4)) Array((utf8.length << 2 | 1).toByte) ++ utf8
      else number(16, utf8.length.toLong, 4) ++ utf8

    private def uuid(value: UUID): Array[Byte] = {
      val bytes = Seq(value.getMostSignificantBits, value.getLeastSignificantBits).flatMap { half =>
        (7 to 0 by -1).map(i => (half >>> (8 * i)).toByte)
      }
      Array((20 << 2).toByte) ++ bytes
    }

    private def array(elements: Vector[Array[Byte]]): Array[Byte] = {
      val offsets = elements.scanLeft(0L)(_ + _.length)
      val large = elements.size > 255 || chance(4)
      val width = someWidth(offsets.last)
      val out = new ByteArrayOutputStream
      out.write(((if (large) 4 else 0) | (width - 1)) << 2 | 3)
      put(out, elements.size.toLong, if (large) 4 else 1)
      offsets.foreach(put(out, _, width))
      elements.foreach(out.writeBytes)
      out.toByteArray
    }

    private def obj(fields: Vector[(String, VariantTree)]): Array[Byte] = {
      val stored = rng.fold(fields)(_.shuffle(fields)).map { case (name, child) =>
        (name, encode(child))
      }
      val offsets = stored.scanLeft(0L)(_ + _._2.length)
      val sorted =
        stored.zip(offsets).map { case ((name, _), at) => (name, at) }.sortBy(_._1)(fieldOrder)
      val fieldIds = sorted.map { case (name, _) =>
        rng.fold(ids(name).head)(r => ids(name)(r.nextInt(ids(name).size))).toLong
      }
      val large = fields.size > 255 || chance(4)
      val offsetWidth = someWidth(offsets.last)
      val idWidth = someWidth(fieldIds.maxOption.getOrElse(0L))
      val out = new ByteArrayOutputStream
      out.write(((if (large) 16 else 0) | (idWidth - 1) << 2 | (offsetWidth - 1)) << 2 | 2)
      put(out, fields.size.toLong, if (large) 4 else 1)
      fieldIds.foreach(put(out, _, idWidth))
      sorted.foreach { case (_, at) => put(out, at, offsetWidth) }
      put(out, offsets.last, offsetWidth)
      stored.foreach { case (_, bytes) => out.writeBytes(bytes) }
      out.toByteArray
    }
  }
}
