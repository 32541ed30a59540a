package io.github.variantshredded.variant

import java.nio.charset.StandardCharsets.UTF_8

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.variant.ByteArrays.bytes
import org.scalacheck.Arbitrary.arbitrary
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class VariantReaderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private def refused(read: => Any): String = {
    val error = intercept[VariantShreddedException](read)
    assert(error.condition == "MALFORMED_VARIANT")
    error.reason
  }

  test("the size of a value is known wherever it lies, and more bytes may follow") {
    forAll(genVariantTree(3, 5), arbitrary[Long]) { (tree, seed) =>
      val (metadata, value) = VariantTree.encode(tree, seed)
      val padded = bytes(7, 7) ++ value ++ bytes(7, 7, 7)
      assert(VariantReader.valueSize(padded, 2, padded.length) == value.length)
      assert(VariantReader.valueSize(padded, 2, 2 + value.length) == value.length)
      val error = refused(VariantReader.valueSize(padded, 2, 1 + value.length))
      assert(value.length == 1 || error.nonEmpty)
      val names = MetadataDictionary.parse(metadata, 0, metadata.length)
      assert(sameAs(ProductCodec.read(names, padded, 2, padded.length), tree))
    }
  }

  private val samples: Seq[(VariantTree, Int)] = Seq(
    Null -> 0,
    Bool(true) -> 1,
    Bool(false) -> 2,
    Int8(1) -> 3,
    Int16(1) -> 4,
    Int32(1) -> 5,
    Int64(1) -> 6,
    Dbl(1) -> 7,
    Decimal4(1, 1) -> 8,
    Decimal8(1, 1) -> 9,
    Decimal16(java.math.BigInteger.ONE, 1) -> 10,
    Date(1) -> 11,
    TimestampMicros(1) -> 12,
    TimestampNtzMicros(1) -> 13,
    Flt(1) -> 14,
    Binary(Vector(1)) -> 15,
    Str("x") -> 16,
    Str("x" * 64) -> 16,
    Time(1) -> 17,
    TimestampNanos(1) -> 18,
    TimestampNtzNanos(1) -> 19,
    Uuid(new java.util.UUID(1, 1)) -> 20,
    obj() -> VariantReader.ObjectKind,
    arr() -> VariantReader.ArrayKind
  )

  private val accessors: Seq[(String, (Array[Byte], Int, Int) => Any, Set[Int])] = Seq(
    ("getBoolean", VariantReader.getBoolean, Set(1, 2)),
    ("getLong", VariantReader.getLong, Set(3, 4, 5, 6, 11, 12, 13, 17, 18, 19)),
    ("getFloat", VariantReader.getFloat, Set(14)),
    ("getDouble", VariantReader.getDouble, Set(7)),
    ("getDecimalScale", VariantReader.getDecimalScale, Set(8, 9, 10)),
    ("getUnscaledLong", VariantReader.getUnscaledLong, Set(8, 9)),
    ("getUnscaledHigh", VariantReader.getUnscaledHigh, Set(10)),
    ("getUnscaledLow", VariantReader.getUnscaledLow, Set(10)),
    ("getDecimal", VariantReader.getDecimal, Set(8, 9, 10)),
    ("contentStart", VariantReader.contentStart, Set(15, 16)),
    ("contentLength", VariantReader.contentLength, Set(15, 16)),
    ("getUuidHigh", VariantReader.getUuidHigh, Set(20)),
    ("getUuidLow", VariantReader.getUuidLow, Set(20)),
    ("ObjectCursor", new ObjectCursor().reset(_, _, _), Set(VariantReader.ObjectKind)),
    ("ArrayCursor", new ArrayCursor().reset(_, _, _), Set(VariantReader.ArrayKind))
  )

  test("each accessor reads its own types and refuses the others by name") {
    for ((tree, kind) <- samples) {
      val value = VariantTree.encode(tree)._2
      assert(VariantReader.kind(value, 0, value.length) == kind)
      assert(VariantReader.isNull(value, 0, value.length) == (tree == Null))
      for ((name, read, kinds) <- accessors)
        if (kinds(kind)) read(value, 0, value.length): Unit
        else {
          val reason = refused(read(value, 0, value.length))
          assert(reason.startsWith("Expected "), name)
          assert(reason.endsWith(s", found ${VariantReader.kindName(kind)}."), name)
        }
    }
  }

  test("each accessor refuses a value that is cut short") {
    for ((tree, kind) <- samples; (name, read, kinds) <- accessors if kinds(kind)) {
      val value = VariantTree.encode(tree)._2
      // A string's start and a decimal's scale are known before its end.
      val needed = name match {
        case "contentStart"    => 1
        case "getDecimalScale" => 2
        case _                 => value.length
      }
      for (n <- 0 until needed; padded = value ++ new Array[Byte](9))
        assert(refused(read(padded, 0, n)).nonEmpty, name)
    }
  }

  test("decimals of all widths and signs, in one piece and in halves") {
    forAll(arbitrary[BigInt]) { number =>
      val unscaled = (number % BigInt(10).pow(38)).bigInteger
      val value = VariantTree.encode(Decimal16(unscaled, 5))._2
      assert(VariantReader.getDecimal(value, 0, 18) == new java.math.BigDecimal(unscaled, 5))
      val high = BigInt(VariantReader.getUnscaledHigh(value, 0, 18)) << 64
      val low = BigInt(java.lang.Long.toUnsignedString(VariantReader.getUnscaledLow(value, 0, 18)))
      assert((high + low).bigInteger == unscaled)
    }
    assert(
      refused(VariantReader.getDecimal(bytes(0x20, 39, 1, 0, 0, 0), 0, 6)).contains("scale is 39")
    )
  }

  test("a range outside of the array is our error") {
    for ((pos, limit) <- Seq((-1, 1), (0, 3), (2, 2), (5, 2), (0, Int.MaxValue), (Int.MinValue, 2)))
      for ((name, read, _) <- accessors)
        assert(refused(read(bytes(0, 0), pos, limit)).nonEmpty, name)
  }

  test("cursors: indexes, ids and offsets that are not there") {
    val value = bytes(0x32, 2, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0, 9, 2, 0, 0)
    val fields = new ObjectCursor().reset(value, 0, value.length)
    assert(fields.numFields == 2 && fields.end == value.length && fields.dataStart == 13)
    assert(fields.fieldId(0) == Int.MaxValue)
    assert(refused(fields.fieldId(1)).contains("4294967295"))
    assert(fields.fieldPos(0) == 13)
    assert(refused(fields.fieldPos(1)).contains("offset 9"))
    for (i <- Seq(-1, 2, Int.MaxValue)) {
      assert(refused(fields.fieldPos(i)).contains("no child"))
      assert(refused(fields.fieldId(i)).contains("no field"))
    }
    // After a failed reset nothing of the last object can be reached.
    assert(refused(fields.reset(bytes(0x42, 0xff, 0xff, 0xff, 0xff), 0, 5)).contains("do not fit"))
    assert(fields.numFields == 0)
    val elements = new ArrayCursor().reset(bytes(0x03, 1, 0, 1, 0), 0, 5)
    assert(elements.numElements == 1 && elements.elementPos(0) == 4)
    assert(refused(elements.elementPos(1)).contains("no child"))
  }

  test("fields are found by name, also where the dictionary has the name twice") {
    forAll(genObject(genScalar, 8), arbitrary[Long], genName) { (tree, seed, other) =>
      val (metadata, value) = VariantTree.encode(tree, seed)
      val names = MetadataDictionary.parse(metadata, 0, metadata.length)
      val cursor = new ObjectCursor().reset(value, 0, value.length)
      val fields = tree match {
        case Obj(children) => children.toMap
        case _             => fail("not an object")
      }
      for (name <- fields.keySet + other) {
        val i = cursor.indexOf(names, name.getBytes(UTF_8))
        assert((i >= 0) == fields.contains(name))
        fields.get(name).foreach { child =>
          val read = ProductCodec.read(names, value, cursor.fieldPos(i), cursor.end)
          assert(sameAs(read, child))
        }
      }
    }
  }
}
