package io.github.variantshredded.fuzz

import java.math.BigInteger
import java.util.UUID

import io.github.variantshredded.testing.{VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._

/** What the values at one position of a table's documents look like. */
sealed trait Shape

object Shape {

  /** Scalars of one type. */
  final case class Scalar(make: Dice => VariantTree) extends Shape

  /** Objects with these fields, each of which is there in some of them. */
  final case class Fields(fields: Vector[Field]) extends Shape

  final case class Elements(element: Shape, most: Int) extends Shape

  /** Values of one of several shapes. */
  final case class AnyOf(shapes: Vector[Shape]) extends Shape

  final case class Field(name: String, shape: Shape, presence: Double)

  /** Names that no two orders of strings sort differently. */
  private val oddNames: Vector[String] =
    VariantGenerators.weirdNames.filter(_.forall(c => c < 0xd800)) ++
      Vector("a b", "a[0]", "a\"b", "List", "key_value", "0", "id.x", "v", "null", "*")

  private val plainNames = Vector("a", "b", "c", "d", "id", "name", "k", "x", "ts", "tags", "o")

  def fieldName(dice: Dice): String =
    if (dice.oneIn(4)) dice.pick(oddNames) else dice.pick(plainNames)

  def document(dice: Dice, negativeZeros: Boolean): Shape = dice.below(12) match {
    case 0 => scalar(dice, negativeZeros)
    case 1 => any(dice, 3, negativeZeros)
    case 2 => Elements(any(dice, 2, negativeZeros), 4)
    case _ => fields(dice, 3, 7, negativeZeros)
  }

  private def any(dice: Dice, depth: Int, negativeZeros: Boolean): Shape =
    if (depth == 0) scalar(dice, negativeZeros)
    else {
      dice.below(10) match {
        case 0 | 1 | 2 => fields(dice, depth - 1, 4, negativeZeros)
        case 3 | 4     => Elements(any(dice, depth - 1, negativeZeros), 4)
        case 5 => AnyOf(Vector.fill(dice.between(2, 3))(any(dice, depth - 1, negativeZeros)))
        case _ => scalar(dice, negativeZeros)
      }
    }

  private def fields(dice: Dice, depth: Int, most: Int, negativeZeros: Boolean): Shape = {
    val names = Vector.fill(dice.between(1, most))(fieldName(dice)).distinct
    Fields(names.map { name =>
      val presence = dice.pick(Vector(1.0, 1.0, 0.95, 0.7, 0.3, 0.05))
      Field(name, any(dice, depth, negativeZeros), presence)
    })
  }

  def scalar(dice: Dice, negativeZeros: Boolean): Shape = {
    val small = dice.between(2, 9)
    val wide = dice.oneIn(3)
    def number(d: Dice, bits: Int): Long = {
      val any = d.rng.nextLong() >> (64 - bits)
      if (wide) (if (d.oneIn(8)) d.pick(Vector(any, any >> 63 ^ ~(-1L << (bits - 1)))) else any)
      else d.below(small).toLong - 2
    }
    val scale = dice.below(5)
    val make: Dice => VariantTree = dice.below(20) match {
      case 0     => d => Bool(d.rng.nextBoolean())
      case 1     => d => Int8(number(d, 8).toByte)
      case 2     => d => Int16(number(d, 16).toShort)
      case 3     => d => Int32(number(d, 32).toInt)
      case 4 | 5 => d => Int64(number(d, 64))
      case 6     => d => integer(number(d, d.between(2, 64)))
      case 7     => d => Flt(floating(d, small, negativeZeros).toFloat)
      case 8 | 9 => d => Dbl(floating(d, small, negativeZeros))
      case 10    => d => Decimal4((number(d, 30) % 1000000000L).toInt, scale)
      case 11    => d => Decimal8(number(d, 60) % 1000000000000000000L, scale)
      case 12    => d => Decimal16(wideDecimal(number(d, 60), d, wide), scale)
      case 13    => d => Date(if (wide) d.below(800000) - 100000 else 19000 + d.below(small))
      case 14    => d => TimestampMicros(moment(d, wide, small))
      case 15    => d => TimestampNtzMicros(moment(d, wide, small))
      case 16    => d => Binary(d.rng.nextBytes(d.below(if (wide) 80 else 2)).toVector)
      case 17    => d => Uuid(new UUID(d.below(small).toLong, if (wide) d.rng.nextLong() else 1L))
      case _ if wide => d => Str(text(d))
      case _         => d => Str("n" + d.below(small))
    }
    Scalar(make)
  }

  private def integer(n: Long): VariantTree =
    if (n.toByte == n) Int8(n.toByte)
    else if (n.toShort == n) Int16(n.toShort)
    else if (n.toInt == n) Int32(n.toInt)
    else Int64(n)

  private def floating(dice: Dice, small: Int, negativeZeros: Boolean): Double =
    dice.below(12) match {
      case 0 => dice.pick(Vector(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity))
      case 1 => if (negativeZeros) -0.0 else 0.0
      case 2 => dice.rng.nextGaussian() * 1e10
      case _ => dice.below(small) * 0.5
    }

  private def wideDecimal(number: Long, dice: Dice, wide: Boolean): BigInteger = {
    val small = BigInteger.valueOf(number)
    if (wide && dice.oneIn(2)) small.multiply(BigInteger.TEN.pow(dice.below(19))) else small
  }

  private def moment(dice: Dice, wide: Boolean, small: Int): Long =
    if (wide) (dice.rng.nextDouble() * 6e16).toLong - 2000000000000000L
    else 1700000000000000L + dice.below(small) * 3600000000L

  private def text(dice: Dice): String = dice.below(8) match {
    case 0 => ""
    case 1 => dice.below(100).toString
    case 2 => dice.pick(Vector("true", "1.5", "2024-02-29", "2024-01-01 10:00:00", "null", "NaN"))
    case 3 => "x" * dice.between(60, 140) + dice.below(5)
    case 4 => "\u20ac\ud83d\ude00" + dice.below(4)
    case _ => dice.rng.alphanumeric.take(dice.below(12)).mkString
  }
}
