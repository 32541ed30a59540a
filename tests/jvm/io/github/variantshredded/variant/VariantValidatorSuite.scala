package io.github.variantshredded.variant

import java.math.BigInteger
import java.nio.charset.StandardCharsets.UTF_8

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.{VariantTree, VariantTreeEncoder}
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.variant.ByteArrays.bytes
import org.scalacheck.Arbitrary.arbitrary
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class VariantValidatorSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 500)

  private val validator = new VariantValidator

  private def names(keys: String*): MetadataDictionary = {
    val metadata = VariantTreeEncoder.metadata(keys.toVector, sorted = false, width = 2)
    MetadataDictionary.parse(metadata, 0, metadata.length)
  }

  private val abc = names("a", "b", "c")

  private def accept(value: Array[Byte], dictionary: MetadataDictionary = abc): Unit =
    validator.check(value, 0, value.length, dictionary)

  private def refuse(
      value: Array[Byte],
      dictionary: MetadataDictionary = abc,
      path: String = "$"
  ): String = {
    val error = intercept[VariantShreddedException](accept(value, dictionary))
    assert(error.condition == "MALFORMED_VARIANT")
    assert(error.location.path.contains(path), error.getMessage)
    // Within a larger array the same is found, though there are bytes to read beyond the limit.
    val padded = Array.fill[Byte](3)(0) ++ value ++ new Array[Byte](64)
    val again = intercept[VariantShreddedException](
      validator.check(padded, 3, 3 + value.length, dictionary)
    )
    assert(again.reason == error.reason)
    error.reason
  }

  test("every generated value is accepted, in any legal encoding") {
    forAll(genVariantTree(5, 6), arbitrary[Long]) { (tree, seed) =>
      for ((metadata, value) <- Seq(VariantTree.encode(tree), VariantTree.encode(tree, seed))) {
        accept(value, MetadataDictionary.parse(metadata, 0, metadata.length))
        val padded = bytes(1, 2, 3) ++ value ++ bytes(4, 5)
        val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length)
        validator.check(padded, 3, 3 + value.length, dictionary)
      }
    }
  }

  test("a value has to end where it should") {
    assert(refuse(bytes(0, 0)).contains("1 bytes follow"))
    assert(refuse(bytes(0x0c, 1, 1)).contains("1 bytes follow"))
    assert(refuse(bytes(0x0c)).contains("takes 2 bytes where 1 are left"))
    val error = intercept[VariantShreddedException](accept(Array.emptyByteArray))
    assert(error.reason == "A value has no bytes.")
    for ((pos, limit) <- Seq((-1, 1), (0, 3), (2, 2), (1, 0), (0, Int.MaxValue), (Int.MinValue, 1)))
      assertThrows[VariantShreddedException](validator.check(bytes(0, 0), pos, limit, abc))
  }

  test("unknown types and unused header bits") {
    for (id <- 21 to 63)
      assert(
        refuse(bytes(id << 2) ++ new Array[Byte](16)).contains(s"primitive type $id is unknown")
      )
    assert(refuse(bytes(0x82, 0, 0)).contains("header 0x82"))
    for (bit <- Seq(0x20, 0x40, 0x80))
      assert(refuse(bytes(0x03 | bit, 0, 0)).contains("Unused bits"))
  }

  test("decimals: scale and digits") {
    def decimal(id: Int, scale: Int, unscaled: BigInteger, width: Int): Array[Byte] =
      bytes(id << 2, scale) ++ (0 until width).map(i => unscaled.shiftRight(8 * i).byteValue)
    for ((id, width, digits) <- Seq((8, 4, 9), (9, 8, 18), (10, 16, 38))) {
      val limit = BigInteger.TEN.pow(digits)
      for (sign <- Seq(1, -1)) {
        val outside = limit.multiply(BigInteger.valueOf(sign.toLong))
        val inside = outside.subtract(BigInteger.valueOf(sign.toLong))
        accept(decimal(id, 0, inside, width))
        accept(decimal(id, 38, inside, width))
        assert(refuse(decimal(id, 0, outside, width)).contains("more digits"))
        assert(refuse(decimal(id, 39, inside, width)).contains("scale is 39"))
        assert(refuse(decimal(id, 255, inside, width)).contains("scale is 255"))
      }
      val smallest = BigInteger.ONE.shiftLeft(8 * width - 1).negate
      assert(refuse(decimal(id, 0, smallest, width)).contains("more digits"))
      accept(
        decimal(
          id,
          0,
          BigInteger.ONE.shiftLeft(64).min(limit.subtract(BigInteger.ONE)).negate,
          width
        )
      )
    }
    // Numbers whose lower half is 0, on both sides of 10^38.
    val halves = BigInteger.TEN.pow(38).shiftRight(64)
    for (sign <- Seq(1L, -1L)) {
      val inside = halves.shiftLeft(64).multiply(BigInteger.valueOf(sign))
      val outside = halves.add(BigInteger.ONE).shiftLeft(64).multiply(BigInteger.valueOf(sign))
      accept(decimal(10, 0, inside, 16))
      assert(refuse(decimal(10, 0, outside, 16)).contains("more digits"))
    }
  }

  test("times are within a day") {
    accept(VariantTree.encode(Time(0))._2)
    accept(VariantTree.encode(Time(86399999999L))._2)
    assert(refuse(VariantTree.encode(Time(86400000000L))._2).contains("not a time of day"))
    assert(refuse(VariantTree.encode(Time(-1))._2).contains("not a time of day"))
  }

  test("strings are UTF-8, short and long ones, at any index") {
    for (length <- Seq(1, 7, 8, 9, 63, 64, 200); at <- Seq(0, length / 2, length - 1)) {
      val value = VariantTree.encode(Str("x" * length))._2
      accept(value)
      val reason = refuse(value.updated(value.length - length + at, 0xff.toByte))
      assert(reason == s"The string is not UTF-8 at its byte $at.")
    }
    // The same bytes are fine in a binary.
    accept(bytes(0x3c, 2, 0, 0, 0, 0xff, 0xfe))
  }

  test("claims up to 2^32 - 1 are compared, not believed") {
    for (
      id <- Seq(15, 16); claim <- Seq(bytes(0xff, 0xff, 0xff, 0xff), bytes(0xff, 0xff, 0xff, 0x7f))
    )
      assert(refuse(bytes(id << 2) ++ claim ++ bytes(1, 2)).contains("where 7 are left"))
    for (header <- Seq(0x42, 0x7e, 0x13, 0x1f); top <- Seq(0xff, 0x7f, 0x3f, 0x1f)) {
      val value = bytes(header, 0xff, 0xff, 0xff, top) ++ new Array[Byte](40)
      assert(refuse(value).contains("do not fit"))
    }
    // One child, whose end is claimed at 2^32 - 1.
    assert(refuse(bytes(0x0f, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0)).contains("are left"))
  }

  test("arrays: elements follow each other without gaps") {
    accept(bytes(0x03, 2, 0, 1, 3, 0, 0x0c, 5))
    accept(bytes(0x03, 0, 0))
    assert(refuse(bytes(0x03, 0, 1, 0)).contains("do not ascend from 0"))
    assert(refuse(bytes(0x03, 2, 1, 2, 3, 0, 0, 0)).contains("do not ascend from 0"))
    assert(refuse(bytes(0x03, 2, 0, 0, 1, 0)).contains("do not ascend"))
    assert(refuse(bytes(0x03, 3, 0, 2, 1, 3, 0, 0, 0)).contains("do not ascend"))
    assert(
      refuse(bytes(0x03, 2, 0, 2, 3, 0, 0, 0), path = "$[0]").contains("follow after the element")
    )
    assert(
      refuse(bytes(0x03, 2, 0, 1, 3, 0, 0, 0), path = "$[1]").contains("follow after the element")
    )
    val wide = bytes(0x03, 2, 0, 1, 4, 0x0c, 5, 0, 0)
    assert(refuse(wide, path = "$[0]").contains("takes 2 bytes where 1 are left"))
  }

  test("objects: fields ascend by name, ids are in the dictionary") {
    accept(bytes(0x02, 2, 0, 2, 0, 1, 2, 0, 0))
    accept(bytes(0x02, 0, 0))
    assert(refuse(bytes(0x02, 2, 2, 0, 0, 1, 2, 0, 0)).contains("Field 1 is not after"))
    assert(refuse(bytes(0x02, 2, 1, 1, 0, 1, 2, 0, 0)).contains("or has the same name"))
    assert(refuse(bytes(0x02, 1, 3, 0, 1, 0)).contains("field id 3 is not in the metadata"))
    assert(refuse(bytes(0x32, 1, 0xff, 0xff, 0xff, 0xff, 0, 1, 0)).contains("field id 4294967295"))
    // Two ids with the same name.
    assert(refuse(bytes(0x02, 2, 0, 1, 0, 1, 2, 0, 0), names("a", "a")).contains("the same name"))
    accept(bytes(0x02, 2, 1, 0, 0, 1, 2, 0, 0), names("b", "a"))
  }

  test("objects: either order of names, but one of them") {
    val order = names("\ud83d\ude00", "\uffff", "z")
    accept(bytes(0x02, 3, 2, 0, 1, 0, 1, 2, 3, 0, 0, 0), order)
    accept(bytes(0x02, 3, 2, 1, 0, 0, 1, 2, 3, 0, 0, 0), order)
    val mixed = names("a\ud83d\ude00", "a\uffff", "b\uffff", "b\ud83d\ude00")
    assert(refuse(bytes(0x02, 4, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 0, 0, 0), mixed).contains("Field 3"))
    accept(bytes(0x02, 4, 0, 1, 3, 2, 0, 1, 2, 3, 4, 0, 0, 0, 0), mixed)
    accept(bytes(0x02, 4, 1, 0, 2, 3, 0, 1, 2, 3, 4, 0, 0, 0, 0), mixed)
  }

  test("objects: values in any order, gaps allowed, no overlap") {
    accept(bytes(0x02, 3, 0, 1, 2, 3, 0, 1, 4, 0, 0x0c, 5, 4))
    accept(bytes(0x02, 2, 0, 1, 0, 3, 4, 0, 9, 9, 0)) // ascending with a gap
    accept(bytes(0x02, 2, 0, 1, 4, 1, 5, 9, 0x0c, 5, 9, 0)) // descending with gaps
    assert(refuse(bytes(0x02, 2, 0, 1, 0, 0, 1, 0)).contains("overlap"))
    assert(refuse(bytes(0x02, 2, 0, 1, 1, 0, 3, 0x0c, 0, 0)).contains("Fields 1 and 0 overlap"))
    assert(
      refuse(bytes(0x02, 2, 0, 1, 0, 1, 3, 0x0c, 0, 0), path = "$.a").contains("takes 2 bytes")
    )
    assert(refuse(bytes(0x02, 2, 0, 1, 5, 0, 2, 0, 0)).contains("offset 5 of field 0"))
    assert(refuse(bytes(0x02, 1, 0, 1, 1, 0)).contains("offset 1 of field 0"))
    assert(
      refuse(bytes(0x02, 2, 0, 1, 2, 0, 3, 0, 0, 0x0c), path = "$.a").contains("takes 2 bytes")
    )
  }

  test("the path leads to the faulty value") {
    val tree =
      obj("a" -> arr(Null, Null, Null, obj("b" -> Int8(1), "c d" -> Str("x"))), "b" -> Null)
    val (metadata, value) = VariantTree.encode(tree)
    val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length)
    accept(value, dictionary)
    val at = value.indexOf('x'.toByte)
    val reason = refuse(value.updated(at, 0x80.toByte), dictionary, "$.a[3]['c d']")
    assert(reason == "The string is not UTF-8 at its byte 0.")
    val unknown = value.updated(at - 3, (22 << 2).toByte)
    assert(refuse(unknown, dictionary, "$.a[3].b") == "The primitive type 22 is unknown.")
  }

  test("nesting up to the limit and no further, without recursion") {
    def nested(levels: Int): Array[Byte] =
      (1 to levels).foldLeft(VariantTree.encode(Null)._2)((inner, _) => {
        val width = if (inner.length < 256) 1 else if (inner.length < 65536) 2 else 3
        bytes(3 | (width - 1) << 2, 1) ++ new Array[Byte](width) ++
          (0 until width).map(i => (inner.length >>> (8 * i)).toByte) ++ inner
      })
    accept(nested(1000))
    val deep = nested(1001)
    assert(refuse(deep, path = "$" + "[0]" * 1000).contains("deeper than 1000"))
    validator.check(deep, 0, deep.length, abc, maxDepth = 1001)
    val veryDeep = nested(20000)
    validator.check(veryDeep, 0, veryDeep.length, abc, maxDepth = 20000)
    assertThrows[VariantShreddedException](
      validator.check(veryDeep, 0, veryDeep.length, abc, 19999)
    )
    validator.check(bytes(0), 0, 1, abc, maxDepth = 0)
    assertThrows[VariantShreddedException](validator.check(bytes(3, 0, 0), 0, 3, abc, maxDepth = 0))
  }

  test("children that share their bytes cost no more than the size of the value") {
    // 40 levels of objects with two fields on the same child would be 2^40 visits.
    val twins = (1 to 40).foldLeft(bytes(0)) { (inner, _) =>
      val size = Seq(inner.length, inner.length >>> 8).map(_.toByte)
      bytes(0x06, 2, 0, 1, 0, 0, 0, 0) ++ size ++ inner
    }
    assert(refuse(twins).contains("overlap"))
    // 1,000 fields on the same child of 1 MB.
    val keys = Vector.tabulate(1000)(i => f"k$i%04d")
    val child = VariantTree.encode(Str("x" * 1000000))._2
    val ids = (0 until 1000).flatMap(i => Seq(i.toByte, (i >>> 8).toByte))
    val offsets = new Array[Byte](3000) ++ (0 until 3).map(i => (child.length >>> (8 * i)).toByte)
    val value = bytes(0x5a, 0xe8, 3, 0, 0) ++ ids ++ offsets ++ child
    assert(refuse(value, names(keys: _*)).contains("overlap"))
  }

  test("a validator goes on after a fault, and after a deeper value") {
    val fresh = new VariantValidator
    val (metadata, value) = VariantTree.encode(arr(arr(arr(Str("xy"))), Null))
    val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length)
    for (_ <- 1 to 3) {
      fresh.check(value, 0, value.length, dictionary)
      val spoilt = value.updated(value.indexOf('x'.toByte), 0xff.toByte)
      val error =
        intercept[VariantShreddedException](fresh.check(spoilt, 0, spoilt.length, dictionary))
      assert(error.location.path.contains("$[0][0][0]"))
      fresh.check("\tabc".getBytes(UTF_8).updated(0, 0x0d.toByte), 0, 4, dictionary)
    }
  }

  test("many values against one dictionary: ranks take over from comparisons of bytes") {
    val keys = scala.util.Random.shuffle(Vector.tabulate(50)(i => s"key$i"))
    val tree = Obj(keys.map(_ -> Null))
    val (_, value) = ProductCodec.encode(tree)
    val dictionary = names(keys: _*)
    for (_ <- 1 to 100) accept(value, dictionary)
    val swapped = value.clone()
    swapped(2) = value(3)
    swapped(3) = value(2)
    assert(refuse(swapped, dictionary).contains("Field 1 is not after"))
  }
}
