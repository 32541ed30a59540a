package io.github.variantshredded.testing

import java.math.BigInteger

import scala.util.Random

import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}
import io.github.variantshredded.testing.VariantTree._

/** Random shredding schemas that fit given Variants in part, and Variants that resemble others. */
final class RandomShredding(rng: Random) {

  private def pick[T](from: Seq[T]): T = from(rng.nextInt(from.size))

  private def oneIn(n: Int) = rng.nextInt(n) == 0

  /** A schema after the shape of one of the samples at each position, sometimes another. */
  def schema(samples: Seq[VariantTree], depth: Int = 4): ShreddingSchema =
    if (oneIn(10)) anySchema(depth)
    else if (samples.isEmpty || oneIn(8)) ShreddingSchema.Unshredded
    else {
      pick(samples) match {
        case Obj(fields) if fields.nonEmpty && depth > 0 =>
          val children = samples.collect { case Obj(c) => c }.flatten
          val wanted = rng.shuffle(children.map(_._1).distinct).take(1 + rng.nextInt(6))
          val names = if (oneIn(5)) (wanted :+ pick(RandomShredding.names)).distinct else wanted
          ShreddingSchema.ObjectOf(names.toVector.map { name =>
            name -> schema(children.collect { case (`name`, child) => child }, depth - 1)
          })
        case Arr(_) if depth > 0 =>
          val elements = samples.collect { case Arr(e) => e }.flatten
          ShreddingSchema.ArrayOf(schema(elements, depth - 1))
        case scalar => typeOf(scalar).fold(anySchema(depth))(ShreddingSchema.Primitive(_))
      }
    }

  private def anySchema(depth: Int): ShreddingSchema = rng.nextInt(if (depth > 0) 6 else 4) match {
    case 0 => ShreddingSchema.Unshredded
    case 4 => ShreddingSchema.ArrayOf(anySchema(depth - 1))
    case 5 =>
      val names = rng.shuffle(RandomShredding.names).take(1 + rng.nextInt(3))
      ShreddingSchema.ObjectOf(names.map(_ -> anySchema(depth - 1)))
    case _ => ShreddingSchema.Primitive(pick(RandomShredding.types))
  }

  private def typeOf(scalar: VariantTree): Option[ShreddedType] = scalar match {
    case Bool(_)               => Some(ShreddedType.BooleanType)
    case Int8(_)               => Some(integer(0))
    case Int16(_)              => Some(integer(1))
    case Int32(_)              => Some(integer(2))
    case Int64(_)              => Some(integer(3))
    case Flt(_)                => Some(ShreddedType.FloatType)
    case Dbl(_)                => Some(ShreddedType.DoubleType)
    case Decimal4(u, scale)    => decimal(BigInteger.valueOf(u.toLong), scale, 9)
    case Decimal8(u, scale)    => decimal(BigInteger.valueOf(u), scale, 18)
    case Decimal16(u, scale)   => decimal(u, scale, 38)
    case Date(_)               => Some(ShreddedType.Date)
    case Time(_)               => Some(ShreddedType.Time)
    case TimestampMicros(_)    => Some(ShreddedType.TimestampMicros)
    case TimestampNtzMicros(_) => Some(ShreddedType.TimestampNtzMicros)
    case TimestampNanos(_)     => Some(ShreddedType.TimestampNanos)
    case TimestampNtzNanos(_)  => Some(ShreddedType.TimestampNtzNanos)
    case Binary(_)             => Some(ShreddedType.Binary)
    case Str(_)                => Some(ShreddedType.StringType)
    case Uuid(_)               => Some(ShreddedType.Uuid)
    case _                     => None
  }

  /** The type itself, or now and then another width. */
  private def integer(own: Int): ShreddedType = {
    val widths =
      Vector(ShreddedType.Int8, ShreddedType.Int16, ShreddedType.Int32, ShreddedType.Int64)
    if (oneIn(4)) pick(widths) else widths(own)
  }

  private def decimal(unscaled: BigInteger, scale: Int, usual: Int): Option[ShreddedType] = {
    val digits = math.max(unscaled.abs.toString.length, math.max(scale, 1))
    val most = if (oneIn(3)) 38 else usual
    val precision = if (digits >= most) digits else digits + rng.nextInt(most - digits + 1)
    Some(ShreddedType.DecimalOf(precision, scale))
  }

  /** A value like `tree`: some scalars changed, fields dropped or added, elements repeated. */
  def vary(tree: VariantTree, pool: IndexedSeq[VariantTree]): VariantTree = tree match {
    case Obj(fields) =>
      val kept = fields.filterNot(_ => oneIn(7)).map { case (name, c) => name -> vary(c, pool) }
      val added = if (oneIn(6)) Vector(pick(RandomShredding.names) -> pick(pool)) else Vector.empty
      Obj((kept ++ added).distinctBy(_._1))
    case Arr(elements) if elements.nonEmpty =>
      Arr(Vector.fill(rng.nextInt(5))(vary(pick(elements), pool)))
    case other =>
      rng.nextInt(10) match {
        case 0     => Null
        case 1     => pick(pool)
        case 2 | 3 => other
        case _     => changed(other)
      }
  }

  private def changed(scalar: VariantTree): VariantTree = scalar match {
    case Int8(_)               => Int8(rng.nextInt().toByte)
    case Int16(_)              => Int16(rng.nextInt().toShort)
    case Int32(n)              => Int32(n >> rng.nextInt(32))
    case Int64(n)              => Int64(n >> rng.nextInt(64))
    case Bool(_)               => Bool(rng.nextBoolean())
    case Str(s)                => Str(start(s, rng.nextInt(5)) + rng.nextInt(100))
    case Decimal4(u, scale)    => Decimal4(u / (1 + rng.nextInt(100)), scale)
    case Decimal8(u, scale)    => Decimal8(u / (1 + rng.nextInt(100)), scale)
    case Decimal16(u, scale)   => Decimal16(u.shiftRight(rng.nextInt(120)), scale)
    case Date(n)               => Date(n / (1 + rng.nextInt(100)))
    case TimestampMicros(n)    => TimestampMicros(n / (1 + rng.nextInt(100)))
    case TimestampNtzMicros(n) => TimestampNtzMicros(n / (1 + rng.nextInt(100)))
    case TimestampNanos(n)     => TimestampNanos(n / (1 + rng.nextInt(100)))
    case Binary(b)             => Binary(b ++ rng.nextBytes(rng.nextInt(4)))
    case other                 => other
  }

  /** By code points: half a surrogate pair is no text. */
  private def start(text: String, length: Int): String =
    text.substring(
      0,
      text.offsetByCodePoints(0, math.min(length, text.codePointCount(0, text.length)))
    )
}

object RandomShredding {

  val names: Vector[String] = Vector("a", "b", "id", "tags") ++ VariantGenerators.weirdNames

  val types: Vector[ShreddedType] = {
    import ShreddedType._
    val plain = Vector(BooleanType, Int8, Int16, Int32, Int64, FloatType, DoubleType, Date, Time)
    val moments = Vector(TimestampMicros, TimestampNanos, TimestampNtzMicros, TimestampNtzNanos)
    val decimals = Vector(1 -> 0, 1 -> 1, 9 -> 2, 10 -> 0, 18 -> 18, 19 -> 5, 38 -> 0, 38 -> 38)
    plain ++ moments ++ Vector(Binary, StringType, Uuid) ++
      decimals.map { case (precision, scale) => DecimalOf(precision, scale) }
  }

  /** Whether a value can stand in a `typed_value` of the type. */
  def fits(shreddedType: ShreddedType, tree: VariantTree): Boolean =
    (shreddedType, tree) match {
      case (ShreddedType.BooleanType, _: Bool)                      => true
      case (ShreddedType.Int8, _: Int8)                             => true
      case (ShreddedType.Int16, _: Int16)                           => true
      case (ShreddedType.Int32, _: Int32)                           => true
      case (ShreddedType.Int64, _: Int64)                           => true
      case (ShreddedType.FloatType, _: Flt)                         => true
      case (ShreddedType.DoubleType, _: Dbl)                        => true
      case (ShreddedType.DecimalOf(_, scale), Decimal4(_, s))       => scale == s
      case (ShreddedType.DecimalOf(_, scale), Decimal8(_, s))       => scale == s
      case (ShreddedType.DecimalOf(_, scale), Decimal16(_, s))      => scale == s
      case (ShreddedType.Date, _: Date)                             => true
      case (ShreddedType.Time, _: Time)                             => true
      case (ShreddedType.TimestampMicros, _: TimestampMicros)       => true
      case (ShreddedType.TimestampNtzMicros, _: TimestampNtzMicros) => true
      case (ShreddedType.TimestampNanos, _: TimestampNanos)         => true
      case (ShreddedType.TimestampNtzNanos, _: TimestampNtzNanos)   => true
      case (ShreddedType.Binary, _: Binary)                         => true
      case (ShreddedType.StringType, _: Str)                        => true
      case (ShreddedType.Uuid, _: Uuid)                             => true
      case _                                                        => false
    }
}
