package io.github.variantshredded.variant

import java.nio.charset.StandardCharsets.UTF_8

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.{VariantTreeDecoder, VariantTreeEncoder}
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.variant.ByteArrays.bytes
import io.github.variantshredded.variant.encode.MetadataBuilder
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class MetadataDictionarySuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def parse(bytes: Array[Byte], strict: Boolean = true): MetadataDictionary =
    MetadataDictionary.parse(bytes, 0, bytes.length, strict)

  private def refused(metadata: Array[Byte], strict: Boolean = true): String = {
    val error = intercept[VariantShreddedException](parse(metadata, strict))
    assert(error.condition == "MALFORMED_VARIANT")
    error.reason
  }

  private def dictionary(names: String*): MetadataDictionary =
    parse(VariantTreeEncoder.metadata(names.toVector, sorted = false, width = 2))

  private val genNames: Gen[Vector[String]] =
    Gen.choose(0, 40).flatMap(Gen.listOfN(_, genName)).map(_.toVector)

  test("names, their bytes and their number, at an offset, for all widths") {
    forAll(genNames, Gen.choose(2, 4), Gen.choose(0, 5)) { (names, width, before) =>
      val metadata = VariantTreeEncoder.metadata(names, sorted = false, width)
      val padded = Array.fill[Byte](before)(9) ++ metadata ++ Array.fill[Byte](3)(9)
      val parsed = MetadataDictionary.parse(padded, before, metadata.length)
      for (d <- Seq(parsed, parsed.detached)) {
        assert(d.size == names.size && !d.isSorted)
        names.zipWithIndex.foreach { case (name, id) =>
          assert(d.key(id) == name)
          val slice = d.bytes.slice(d.keyOffset(id), d.keyOffset(id) + d.keyLength(id))
          assert(slice.toSeq == name.getBytes(UTF_8).toSeq)
        }
        assert(d.toByteArray.toSeq == metadata.toSeq)
        assert(d.hasBytes(metadata, 0, metadata.length))
        assert(!d.hasBytes(padded, 0, padded.length))
      }
      assert(parsed.detached.bytes.length == metadata.length)
    }
  }

  test("one more name, where offsets become wider and where they do not") {
    for (count <- Seq(0, 1, 200, 254, 255, 256); length <- Seq(0, 1, 300)) {
      val names = Vector.tabulate(count)(i => if (i < 9) s"n$i" else "same")
      val metadata = VariantTreeEncoder.metadata(names, sorted = false, width = 3)
      val added = "x" * length
      val more = parse(parse(metadata, strict = false).withName(added.getBytes(UTF_8)))
      assert((0 until more.size).map(more.key) == names :+ added)
    }
  }

  test("find gives the lowest id of a name, before and after the index is built") {
    forAll(genNames, genName) { (names, other) =>
      val d = dictionary(names: _*)
      for (_ <- 1 to 3; name <- names :+ other)
        assert(d.find(name.getBytes(UTF_8)) == names.indexOf(name))
    }
  }

  test("find looks at the given range alone") {
    val d = dictionary("ab", "abc", "b", "", "x", "y")
    val text = "xabcx".getBytes(UTF_8)
    for (_ <- 1 to 5) {
      assert(d.find(text, 1, 3) == 1)
      assert(d.find(text, 1, 2) == 0)
      assert(d.find(text, 3, 0) == 3)
      assert(d.find(text, 1, 4) == -1)
    }
  }

  test("ranks and comparisons are those of java.lang.String, before and after ranks are built") {
    forAll(genNames) { names =>
      val compared = dictionary(names: _*)
      for (_ <- 1 to 3; a <- names.indices; b <- names.indices)
        assert(
          Integer.signum(compared.compareKeys(a, b)) == Integer.signum(names(a).compareTo(names(b)))
        )
      val ranked = dictionary(names: _*)
      assert(names.indices.map(ranked.rank).forall(rank => rank >= 0 && rank < names.size))
      for (a <- names.indices; b <- names.indices)
        assert(
          Integer.signum(Integer.compare(ranked.rank(a), ranked.rank(b))) ==
            Integer.signum(names(a).compareTo(names(b)))
        )
    }
  }

  test("a dictionary flagged as sorted may follow either order, but has to follow one") {
    val byUnits = weirdNames.sorted
    val byBytes =
      weirdNames.sortWith((a, b) =>
        java.util.Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8)) < 0
      )
    assert(byUnits != byBytes)
    for (names <- Seq(byUnits, byBytes)) {
      val d = parse(VariantTreeEncoder.metadata(names, sorted = true, width = 2))
      assert(d.isSorted)
      for (a <- names.indices; b <- names.indices) {
        val expected = Integer.signum(names(a).compareTo(names(b)))
        assert(Integer.signum(d.compareKeys(a, b)) == expected)
        assert(Integer.signum(Integer.compare(d.rank(a), d.rank(b))) == expected)
      }
      names.zipWithIndex.foreach { case (name, id) => assert(d.find(name.getBytes(UTF_8)) == id) }
    }
    for (names <- Seq(Vector("b", "a"), Vector("a", "a"), Vector("a", "c", "b"))) {
      val metadata = VariantTreeEncoder.metadata(names, sorted = true, width = 1)
      assert(refused(metadata).contains("flagged as sorted"))
      val lenient = parse(metadata, strict = false)
      assert(lenient.find("a".getBytes(UTF_8)) == names.indexOf("a"))
      assert(
        Integer.signum(lenient.compareKeys(0, 1)) == Integer.signum(names(0).compareTo(names(1)))
      )
    }
  }

  test("every rule of the metadata encoding, broken once") {
    val good = bytes(1, 2, 0, 1, 3, 'a', 'b', 'c')
    assert(parse(good).size == 2)
    assert(refused(Array.emptyByteArray).contains("no bytes"))
    assert(refused(good.updated(0, 2.toByte), strict = false).contains("version is 2"))
    assert(refused(good.updated(0, 0.toByte), strict = false).contains("version is 0"))
    assert(refused(good.updated(0, 0x21.toByte)).contains("bit 5"))
    assert(refused(bytes(0xc1, 0, 0, 0)).contains("end within the dictionary size"))
    assert(refused(good.updated(3, 4.toByte), strict = false).contains("Offset 1"))
    assert(refused(good.updated(4, 9.toByte), strict = false).contains("beyond their 3 bytes"))
    assert(refused(bytes(1, 2, 0, 3, 2, 'a', 'b', 'c'), strict = false).contains("less than 3"))
    assert(refused(bytes(1, 1, 1, 2, 'a', 'b')).contains("first offset"))
    assert(refused(good :+ 'x'.toByte).contains("1 bytes after its last name"))
    assert(parse(good :+ 'x'.toByte, strict = false).key(1) == "bc")
    assert(refused(bytes(1, 1, 0, 1, 0xff)).contains("Name 0 is not UTF-8"))
    assert(parse(bytes(1, 1, 0, 1, 0xff), strict = false).size == 1)
    // One character must not be cut in two by an offset.
    assert(refused(bytes(1, 2, 0, 1, 2, 0xc3, 0xa4)).contains("Name 0 is not UTF-8"))
  }

  test("a claimed size is compared with the bytes before memory is taken") {
    for (claim <- Seq(0xffffffff, 0x7fffffff, 0x40000000, 0x20000000, 3)) {
      val metadata =
        bytes(0xc1) ++ Array.tabulate(4)(i => (claim >>> (8 * i)).toByte) ++ new Array[Byte](12)
      assert(refused(metadata).contains("do not fit"))
    }
    assert(parse(bytes(0xc1, 2, 0, 0, 0) ++ new Array[Byte](12)).size == 2)
  }

  test("a range outside of the array and an unknown id are our error") {
    for ((offset, length) <- Seq((-1, 3), (0, 4), (3, 1), (1, Int.MaxValue), (0, -1)))
      assertThrows[VariantShreddedException](
        MetadataDictionary.parse(bytes(1, 0, 0), offset, length)
      )
    val d = dictionary("a")
    for (id <- Seq(-1, 1, Int.MaxValue, Int.MinValue)) {
      assertThrows[VariantShreddedException](d.key(id))
      assertThrows[VariantShreddedException](d.keyOffset(id))
      assertThrows[VariantShreddedException](d.keyLength(id))
      assertThrows[VariantShreddedException](d.rank(id))
      assertThrows[VariantShreddedException](d.compareKeys(0, id))
    }
  }

  test("the builder gives ids in order of arrival and writes what was added") {
    forAll(genNames) { names =>
      val builder = new MetadataBuilder
      for (_ <- 1 to 2) {
        builder.reset()
        val distinct = names.distinct
        assert(names.map(builder.add) == names.map(distinct.indexOf(_)))
        assert(builder.size == distinct.size)
        val metadata = builder.build()
        assert(VariantTreeDecoder.names(metadata) == distinct)
        val parsed = parse(metadata)
        val copy = new MetadataBuilder
        for (id <- 0 until parsed.size)
          assert(copy.add(parsed.bytes, parsed.keyOffset(id), parsed.keyLength(id)) == id)
        assert(copy.build().toSeq == metadata.toSeq)
        val isAscending = distinct.map(_.getBytes(UTF_8)).sliding(2).forall {
          case Seq(a, b) => java.util.Arrays.compareUnsigned(a, b) < 0
          case _         => true
        }
        assert(parsed.isSorted == isAscending)
        for (a <- distinct.indices; b <- distinct.indices)
          assert(
            Integer.signum(builder.compareKeys(a, b)) ==
              Integer.signum(distinct(a).compareTo(distinct(b)))
          )
      }
    }
  }

  test("the builder with many and long names") {
    val builder = new MetadataBuilder
    val names = Vector.tabulate(70000)(i => s"name$i") :+ "x" * 70000
    assert(names.map(builder.add) == names.indices)
    assert(names.map(builder.add) == names.indices)
    val d = parse(builder.build())
    assert(d.size == names.size && d.key(69999) == "name69999" && d.keyLength(70000) == 70000)
    assert(names.zipWithIndex.forall { case (name, id) => d.find(name.getBytes(UTF_8)) == id })
  }

  test("the builder keeps to the size limit") {
    val builder = new MetadataBuilder(sizeLimit = 20)
    assert(builder.add("0123456789") == 0)
    assert(builder.build().length == 14)
    assert(builder.add("123456") == 1)
    val error = intercept[VariantShreddedException](builder.build())
    assert(error.getMessage == "[VARIANT_SIZE_LIMIT] A Variant cannot be larger than 20 bytes.")
    assert(
      intercept[VariantShreddedException](builder.add("abcdef")).condition == "VARIANT_SIZE_LIMIT"
    )
  }
}
