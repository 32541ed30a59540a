package io.github.variantshredded.testing

import java.math.BigInteger
import java.nio.ByteBuffer

import scala.util.Random

import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.example.data.Group
import org.apache.parquet.io.api.{Binary => ParquetBinary}
import org.apache.parquet.schema.{LogicalTypeAnnotation => Annotation, PrimitiveType, Types}
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition

/**
 * One way to store a shredded type as a Parquet column, by the table "Shredded Value Types".
 *
 * @param convert
 *   the value as a reader gives it back, if the column can hold it: of the column's own type
 * @param put
 *   adds a converted value to a group, at the index of a field
 */
final class ParquetLeaf(
    physical: PrimitiveTypeName,
    length: Int,
    annotation: Option[Annotation],
    val convert: VariantTree => Option[VariantTree],
    val put: (Group, Int, VariantTree) => Unit
) {

  def field(repetition: Repetition, name: String): PrimitiveType = {
    val builder = Types.primitive(physical, repetition).length(length)
    annotation.fold(builder)(a => builder.as(a)).named(name)
  }

  override def toString: String = s"$physical${annotation.fold("")(a => s" ($a)")}"
}

object ParquetLeaf {

  /** One of the ways that the spec leaves a writer. */
  def draw(shreddedType: ShreddedType, rng: Random): ParquetLeaf = {
    def anyOf[T](choices: T*): T = choices(rng.nextInt(choices.size))
    def signed(bits: Int) = Some(Annotation.intType(bits, true))
    def moment(unit: TimeUnit, utc: Boolean) = Some(Annotation.timestampType(utc, unit))
    shreddedType match {
      case ShreddedType.BooleanType =>
        leaf(BOOLEAN, None)({ case b: Bool => b }, { case (g, i, Bool(b)) => g.add(i, b) })
      case ShreddedType.Int8 =>
        int32(signed(8), integer(_).filter(_.isValidByte).map(n => Int8(n.toByte)))
      case ShreddedType.Int16 =>
        int32(signed(16), integer(_).filter(_.isValidShort).map(n => Int16(n.toShort)))
      case ShreddedType.Int32 =>
        int32(anyOf(None, signed(32)), integer(_).filter(_.isValidInt).map(n => Int32(n.toInt)))
      case ShreddedType.Int64     => int64(anyOf(None, signed(64)), integer(_).map(Int64(_)))
      case ShreddedType.FloatType =>
        leaf(FLOAT, None)({ case f: Flt => f }, { case (g, i, Flt(f)) => g.add(i, f) })
      case ShreddedType.DoubleType =>
        leaf(DOUBLE, None)({ case d: Dbl => d }, { case (g, i, Dbl(d)) => g.add(i, d) })
      case decimal: ShreddedType.DecimalOf => drawDecimal(decimal, rng)
      case ShreddedType.Date => int32(Some(Annotation.dateType()), only { case d: Date => d })
      case ShreddedType.Time =>
        int64(Some(Annotation.timeType(false, TimeUnit.MICROS)), only { case t: Time => t })
      case ShreddedType.TimestampMicros =>
        int64(moment(TimeUnit.MICROS, utc = true), only { case t: TimestampMicros => t })
      case ShreddedType.TimestampNtzMicros =>
        int64(moment(TimeUnit.MICROS, utc = false), only { case t: TimestampNtzMicros => t })
      case ShreddedType.TimestampNanos =>
        int64(moment(TimeUnit.NANOS, utc = true), only { case t: TimestampNanos => t })
      case ShreddedType.TimestampNtzNanos =>
        int64(moment(TimeUnit.NANOS, utc = false), only { case t: TimestampNtzNanos => t })
      case ShreddedType.Binary     => bytes(BINARY, 0, None, only { case b: Binary => b })
      case ShreddedType.StringType =>
        bytes(BINARY, 0, Some(Annotation.stringType()), only { case s: Str => s })
      case ShreddedType.Uuid =>
        bytes(
          FIXED_LEN_BYTE_ARRAY,
          16,
          Some(Annotation.uuidType()),
          only { case u: Uuid => u }
        )
    }
  }

  /** Big-endian two's complement of `size` bytes. */
  def bigEndian(number: BigInteger, size: Int): Array[Byte] = {
    val shortest = number.toByteArray
    Array.fill(size - shortest.length)(if (number.signum < 0) -1.toByte else 0.toByte) ++ shortest
  }

  private def drawDecimal(decimal: ShreddedType.DecimalOf, rng: Random): ParquetLeaf = {
    val precision = decimal.precision
    val annotation = Some(Annotation.decimalType(decimal.scale, precision))
    def fitting(tree: VariantTree): Option[BigInteger] =
      unscaled(tree, decimal.scale).filter(_.abs.compareTo(BigInteger.TEN.pow(precision)) < 0)
    val shortest = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).bitLength / 8 + 1
    val physical = Seq(INT32, INT64, FIXED_LEN_BYTE_ARRAY, BINARY).filter {
      case INT32 => precision <= 9
      case INT64 => precision <= 18
      case _     => true
    }
    physical(rng.nextInt(physical.size)) match {
      case INT32 =>
        int32(annotation, fitting(_).map(u => Decimal4(u.intValueExact, decimal.scale)))
      case INT64 =>
        int64(annotation, fitting(_).map(u => Decimal8(u.longValueExact, decimal.scale)))
      case FIXED_LEN_BYTE_ARRAY =>
        val length = shortest + rng.nextInt(17 - shortest)
        new ParquetLeaf(
          FIXED_LEN_BYTE_ARRAY,
          length,
          annotation,
          fitting(_).map(Decimal16(_, decimal.scale)),
          {
            case (group, i, Decimal16(u, _)) => add(group, i, bigEndian(u, length))
            case (_, _, other)               => wrong(other)
          }
        )
      case _ =>
        val longer = rng.nextBoolean()
        new ParquetLeaf(
          BINARY,
          0,
          annotation,
          fitting(_).map(Decimal16(_, decimal.scale)),
          {
            case (group, i, Decimal16(u, _)) =>
              val least = u.toByteArray.length
              val size = if (longer) least + Math.floorMod(u.hashCode, 17 - least) else least
              add(group, i, bigEndian(u, size))
            case (_, _, other) => wrong(other)
          }
        )
    }
  }

  private def leaf(physical: PrimitiveTypeName, annotation: Option[Annotation])(
      convert: PartialFunction[VariantTree, VariantTree],
      put: PartialFunction[(Group, Int, VariantTree), Unit]
  ): ParquetLeaf =
    new ParquetLeaf(physical, 0, annotation, convert.lift, (g, i, t) => put((g, i, t)))

  private def only(
      convert: PartialFunction[VariantTree, VariantTree]
  ): VariantTree => Option[VariantTree] = convert.lift

  private def int32(
      annotation: Option[Annotation],
      convert: VariantTree => Option[VariantTree]
  ): ParquetLeaf = new ParquetLeaf(
    INT32,
    0,
    annotation,
    convert,
    {
      case (group, i, Int8(n))        => group.add(i, n.toInt)
      case (group, i, Int16(n))       => group.add(i, n.toInt)
      case (group, i, Int32(n))       => group.add(i, n)
      case (group, i, Date(n))        => group.add(i, n)
      case (group, i, Decimal4(n, _)) => group.add(i, n)
      case (_, _, other)              => wrong(other)
    }
  )

  private def int64(
      annotation: Option[Annotation],
      convert: VariantTree => Option[VariantTree]
  ): ParquetLeaf = new ParquetLeaf(
    INT64,
    0,
    annotation,
    convert,
    {
      case (group, i, Int64(n))              => group.add(i, n)
      case (group, i, Decimal8(n, _))        => group.add(i, n)
      case (group, i, Time(n))               => group.add(i, n)
      case (group, i, TimestampMicros(n))    => group.add(i, n)
      case (group, i, TimestampNtzMicros(n)) => group.add(i, n)
      case (group, i, TimestampNanos(n))     => group.add(i, n)
      case (group, i, TimestampNtzNanos(n))  => group.add(i, n)
      case (_, _, other)                     => wrong(other)
    }
  )

  private def bytes(
      physical: PrimitiveTypeName,
      length: Int,
      annotation: Option[Annotation],
      convert: VariantTree => Option[VariantTree]
  ): ParquetLeaf = new ParquetLeaf(
    physical,
    length,
    annotation,
    convert,
    {
      case (group, i, Binary(b)) => add(group, i, b.toArray)
      case (group, i, Str(s))    => group.add(i, ParquetBinary.fromString(s))
      case (group, i, Uuid(u))   =>
        val big = ByteBuffer.allocate(16)
        add(
          group,
          i,
          big.putLong(u.getMostSignificantBits).putLong(u.getLeastSignificantBits).array
        )
      case (_, _, other) => wrong(other)
    }
  )

  private def add(group: Group, i: Int, bytes: Array[Byte]): Unit =
    group.add(i, ParquetBinary.fromConstantByteArray(bytes))

  private def wrong(tree: VariantTree) =
    throw new IllegalArgumentException(s"$tree is not of the column's type")

  private def integer(tree: VariantTree): Option[Long] = tree match {
    case Int8(n)  => Some(n.toLong)
    case Int16(n) => Some(n.toLong)
    case Int32(n) => Some(n.toLong)
    case Int64(n) => Some(n)
    case _        => None
  }

  private def unscaled(tree: VariantTree, scale: Int): Option[BigInteger] = tree match {
    case Decimal4(n, `scale`)  => Some(BigInteger.valueOf(n.toLong))
    case Decimal8(n, `scale`)  => Some(BigInteger.valueOf(n))
    case Decimal16(n, `scale`) => Some(n)
    case _                     => None
  }
}
