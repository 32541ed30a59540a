package io.github.variantshredded.testing

import java.math.{BigDecimal, BigInteger}
import java.util.UUID

/**
 * A Variant value as the tests think of it: every physical type is a case of its own.
 *
 * The codec beside it ([[VariantTreeEncoder]], [[VariantTreeDecoder]]) is written from the spec
 * alone and shares no code with the product, so that the two can be compared.
 */
sealed trait VariantTree

object VariantTree {
  case object Null extends VariantTree
  final case class Bool(value: Boolean) extends VariantTree
  final case class Int8(value: Byte) extends VariantTree
  final case class Int16(value: Short) extends VariantTree
  final case class Int32(value: Int) extends VariantTree
  final case class Int64(value: Long) extends VariantTree
  final case class Flt(value: Float) extends VariantTree
  final case class Dbl(value: Double) extends VariantTree
  final case class Decimal4(unscaled: Int, scale: Int) extends VariantTree
  final case class Decimal8(unscaled: Long, scale: Int) extends VariantTree
  final case class Decimal16(unscaled: BigInteger, scale: Int) extends VariantTree

  /** Days since the epoch. */
  final case class Date(days: Int) extends VariantTree

  /** Microseconds since midnight. */
  final case class Time(micros: Long) extends VariantTree
  final case class TimestampMicros(micros: Long) extends VariantTree
  final case class TimestampNtzMicros(micros: Long) extends VariantTree
  final case class TimestampNanos(nanos: Long) extends VariantTree
  final case class TimestampNtzNanos(nanos: Long) extends VariantTree
  final case class Binary(bytes: Vector[Byte]) extends VariantTree
  final case class Str(value: String) extends VariantTree
  final case class Uuid(value: UUID) extends VariantTree
  final case class Arr(elements: Vector[VariantTree]) extends VariantTree

  /** Fields with unique names, in any order. */
  final case class Obj(fields: Vector[(String, VariantTree)]) extends VariantTree {
    require(fields.map(_._1).distinct.size == fields.size, "field names have to be unique")
  }

  def arr(elements: VariantTree*): Arr = Arr(elements.toVector)

  def obj(fields: (String, VariantTree)*): Obj = Obj(fields.toVector)

  /** Metadata and value in the smallest sizes, names and fields in Spark's order. */
  def encode(tree: VariantTree): (Array[Byte], Array[Byte]) = VariantTreeEncoder.plain(tree)

  /**
   * Metadata and value in one of the many legal encodings, chosen by `seed`: wider numbers than
   * needed, unsorted dictionaries with further and repeated names, values of an object in any
   * order, fields in either of the two orders of names.
   */
  def encode(tree: VariantTree, seed: Long): (Array[Byte], Array[Byte]) =
    VariantTreeEncoder.random(tree, seed)

  def decode(metadata: Array[Byte], value: Array[Byte]): VariantTree =
    VariantTreeDecoder.decode(metadata, value)

  /**
   * Whether two trees are the same value; objects without regard to the order of fields, all NaN
   * alike, -0.0 and 0.0 apart.
   *
   * @param exact
   *   `false`: integers may differ in width, and decimals too, if value and scale are equal
   * @param scales
   *   `false`, if not exact: decimals may also differ in scale
   */
  def sameAs(
      a: VariantTree,
      b: VariantTree,
      exact: Boolean = true,
      scales: Boolean = true
  ): Boolean = (a, b) match {
    case (Obj(as), Obj(bs)) =>
      val byName = bs.toMap
      as.size == bs.size &&
      as.forall { case (name, child) => byName.get(name).exists(sameAs(child, _, exact, scales)) }
    case (Arr(as), Arr(bs)) =>
      as.size == bs.size && as.zip(bs).forall { case (x, y) => sameAs(x, y, exact, scales) }
    case (Flt(x), Flt(y)) => java.lang.Float.compare(x, y) == 0
    case (Dbl(x), Dbl(y)) => java.lang.Double.compare(x, y) == 0
    case _ if exact       => a == b
    case _                =>
      (integerOf(a), integerOf(b)) match {
        case (Some(x), Some(y)) => x == y
        case (None, None)       =>
          (decimalOf(a), decimalOf(b)) match {
            case (Some(x), Some(y)) => if (scales) x == y else x.compareTo(y) == 0
            case _                  => a == b
          }
        case _ => false
      }
  }

  /** All values in the tree, the tree itself first. */
  def subtrees(tree: VariantTree): Iterator[VariantTree] = Iterator.single(tree) ++ (tree match {
    case Obj(fields)   => fields.iterator.flatMap { case (_, child) => subtrees(child) }
    case Arr(elements) => elements.iterator.flatMap(subtrees)
    case _             => Iterator.empty
  })

  /** Containers around the innermost value, 0 for a scalar. */
  def depth(tree: VariantTree): Int = tree match {
    case Obj(fields)   => 1 + fields.map(f => depth(f._2)).maxOption.getOrElse(0)
    case Arr(elements) => 1 + elements.map(depth).maxOption.getOrElse(0)
    case _             => 0
  }

  /**
   * Whether Spark 4.1 to 4.3 can read all of the value: no time, no nanoseconds, no uuid (4.1), no
   * scale beyond the precision of the decimal's type.
   */
  def isKnownToSpark(tree: VariantTree): Boolean = subtrees(tree).forall {
    case Time(_) | TimestampNanos(_) | TimestampNtzNanos(_) | Uuid(_) => false
    case Decimal4(_, scale)                                           => scale <= 9
    case Decimal8(_, scale)                                           => scale <= 18
    case _                                                            => true
  }

  private def integerOf(tree: VariantTree): Option[Long] = tree match {
    case Int8(value)  => Some(value.toLong)
    case Int16(value) => Some(value.toLong)
    case Int32(value) => Some(value.toLong)
    case Int64(value) => Some(value)
    case _            => None
  }

  // BigDecimal's equality takes the scale into account.
  private def decimalOf(tree: VariantTree): Option[BigDecimal] = tree match {
    case Decimal4(unscaled, scale)  => Some(BigDecimal.valueOf(unscaled.toLong, scale))
    case Decimal8(unscaled, scale)  => Some(BigDecimal.valueOf(unscaled, scale))
    case Decimal16(unscaled, scale) => Some(new BigDecimal(unscaled, scale))
    case _                          => None
  }
}
