package io.github.variantshredded.testing

import java.math.BigInteger
import java.util.UUID

import io.github.variantshredded.testing.VariantTree._
import org.scalacheck.{Arbitrary, Gen, Shrink}

/** Random [[VariantTree]]s of all types. */
object VariantGenerators {

  /**
   * Names that have gone wrong somewhere: empty, paths in a name, the words of shredding, and
   * characters that UTF-8 and UTF-16 sort differently.
   */
  val weirdNames: Vector[String] = Vector(
    "",
    " ",
    ".",
    "a.b",
    "a['b']",
    "$",
    "'",
    "\"",
    "\\",
    "`",
    "\u0000",
    "\n",
    "value",
    "typed_value",
    "metadata",
    "list",
    "element",
    "_",
    "_hidden",
    "A",
    "\u00e4",
    "\u20ac",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\ud800\udc00",
    "\ud83d\ude00",
    "\udbff\udfff",
    "a\ufffd",
    "a\ud83d\ude00"
  )

  private val genCodePoint: Gen[Int] = Gen.frequency(
    8 -> Gen.choose(0x20, 0x7e),
    1 -> Gen.choose(0, 0x1f),
    2 -> Gen.choose(0x80, 0x7ff),
    2 -> Gen.choose(0x800, 0xd7ff),
    1 -> Gen.choose(0xe000, 0xffff),
    1 -> Gen.choose(0x10000, 0x10ffff)
  )

  /** Text of up to `maxLength` characters, without lone surrogates. */
  def genText(maxLength: Int): Gen[String] = for {
    length <- Gen.choose(0, maxLength)
    points <- Gen.listOfN(length, genCodePoint)
  } yield new String(points.toArray, 0, length)

  val genName: Gen[String] = Gen.frequency(
    6 -> Gen.oneOf("a", "b", "c", "d", "e", "id", "name", "type", "tags"),
    3 -> Gen.oneOf(weirdNames),
    1 -> genText(12)
  )

  private def edgy(min: Long, max: Long): Gen[Long] = Gen.frequency(
    3 -> Gen.choose(min, max),
    3 -> Gen.choose(math.max(min, -300L), math.min(max, 300L)),
    1 -> Gen.oneOf(min, max, math.max(min, -1L), 0L)
  )

  private def genUnscaled(digits: Int): Gen[BigInteger] = for {
    count <- Gen.choose(1, digits)
    text <- Gen.listOfN(count, Gen.numChar)
    negative <- Gen.oneOf(true, false)
  } yield {
    val number = new BigInteger(text.mkString)
    if (negative) number.negate else number
  }

  private def genScale(usual: Int): Gen[Int] =
    Gen.frequency(7 -> Gen.choose(0, usual), 1 -> Gen.choose(0, 38))

  private val genDecimal: Gen[VariantTree] = Gen.oneOf(
    for (u <- genUnscaled(9); s <- genScale(9)) yield Decimal4(u.intValueExact, s),
    for (u <- genUnscaled(18); s <- genScale(18)) yield Decimal8(u.longValueExact, s),
    for (u <- genUnscaled(38); s <- genScale(38)) yield Decimal16(u, s)
  )

  private val genInteger: Gen[VariantTree] = Gen.oneOf(
    edgy(Byte.MinValue.toLong, Byte.MaxValue.toLong).map(n => Int8(n.toByte)),
    edgy(Short.MinValue.toLong, Short.MaxValue.toLong).map(n => Int16(n.toShort)),
    edgy(Int.MinValue.toLong, Int.MaxValue.toLong).map(n => Int32(n.toInt)),
    edgy(Long.MinValue, Long.MaxValue).map(Int64(_))
  )

  private val genFloating: Gen[VariantTree] = Gen.oneOf(
    Gen
      .frequency(
        3 -> Arbitrary.arbitrary[Double],
        1 -> Gen.oneOf(
          0.0,
          -0.0,
          Double.NaN,
          Double.PositiveInfinity,
          Double.NegativeInfinity,
          Double.MinPositiveValue
        )
      )
      .map(Dbl(_)),
    Gen
      .frequency(
        3 -> Arbitrary.arbitrary[Float],
        1 -> Gen.oneOf(0.0f, -0.0f, Float.NaN, Float.PositiveInfinity, Float.MinPositiveValue)
      )
      .map(Flt(_))
  )

  private val genMoment: Gen[VariantTree] = Gen.oneOf(
    edgy(-1000000L, 3000000L).map(n => Date(n.toInt)),
    Gen.choose(0L, 86399999999L).map(Time(_)),
    edgy(-62135596800000000L, 253402300799999999L).map(TimestampMicros(_)),
    edgy(-62135596800000000L, 253402300799999999L).map(TimestampNtzMicros(_)),
    edgy(Long.MinValue, Long.MaxValue).map(TimestampNanos(_)),
    edgy(Long.MinValue, Long.MaxValue).map(TimestampNtzNanos(_))
  )

  private val genBytes: Gen[VariantTree] = Gen.oneOf(
    Gen.frequency(4 -> genText(20), 1 -> genText(90)).map(Str(_)),
    Gen
      .choose(0, 70)
      .flatMap(Gen.listOfN(_, Arbitrary.arbitrary[Byte]))
      .map(b => Binary(b.toVector)),
    for (high <- Arbitrary.arbitrary[Long]; low <- Arbitrary.arbitrary[Long])
      yield Uuid(new UUID(high, low))
  )

  /** A value without children, of any type. */
  val genScalar: Gen[VariantTree] = Gen.frequency(
    1 -> Gen.const(Null),
    1 -> Gen.oneOf(true, false).map(Bool(_)),
    3 -> genInteger,
    2 -> genFloating,
    2 -> genDecimal,
    3 -> genMoment,
    4 -> genBytes
  )

  /**
   * A value of any type.
   *
   * @param maxDepth
   *   most containers around a value
   * @param maxWidth
   *   most children of a container
   */
  def genVariantTree(maxDepth: Int, maxWidth: Int): Gen[VariantTree] =
    if (maxDepth <= 0) genScalar
    else {
      val child = Gen.lzy(genVariantTree(maxDepth - 1, maxWidth))
      Gen.frequency(2 -> genScalar, 3 -> genObject(child, maxWidth), 2 -> genArray(child, maxWidth))
    }

  def genObject(child: Gen[VariantTree], maxWidth: Int): Gen[VariantTree] = for {
    width <- Gen.choose(0, maxWidth)
    fields <- Gen.listOfN(width, Gen.zip(genName, child))
  } yield Obj(fields.distinctBy(_._1).toVector)

  def genArray(child: Gen[VariantTree], maxWidth: Int): Gen[VariantTree] = for {
    width <- Gen.choose(0, maxWidth)
    elements <- Gen.listOfN(width, child)
  } yield Arr(elements.toVector)

  /** A value that Spark can read as a whole. */
  def genSparkTree(maxDepth: Int, maxWidth: Int): Gen[VariantTree] =
    genVariantTree(maxDepth, maxWidth).map(withoutForeignTypes)

  /** Replaces the types that Spark does not know by strings. */
  def withoutForeignTypes(tree: VariantTree): VariantTree = tree match {
    case Obj(fields) => Obj(fields.map { case (name, child) => name -> withoutForeignTypes(child) })
    case Arr(elements)                  => Arr(elements.map(withoutForeignTypes))
    case other if isKnownToSpark(other) => other
    case other                          => Str(other.toString)
  }

  /** Smaller values: fewer children, a child in its parent's place. */
  implicit val shrinkTree: Shrink[VariantTree] = Shrink.withLazyList {
    case Obj(fields) =>
      fields.map(_._2).to(LazyList) ++
        fields.indices.to(LazyList).map(i => Obj(fields.patch(i, Nil, 1))) ++
        fields.indices.to(LazyList).flatMap { i =>
          shrunk(fields(i)._2).map(child => Obj(fields.updated(i, fields(i)._1 -> child)))
        }
    case Arr(elements) =>
      elements.to(LazyList) ++
        elements.indices.to(LazyList).map(i => Arr(elements.patch(i, Nil, 1))) ++
        elements.indices.to(LazyList).flatMap { i =>
          shrunk(elements(i)).map(child => Arr(elements.updated(i, child)))
        }
    case _ => LazyList.empty
  }

  private def shrunk(tree: VariantTree): LazyList[VariantTree] =
    Shrink.shrink(tree)(shrinkTree).to(LazyList)
}
