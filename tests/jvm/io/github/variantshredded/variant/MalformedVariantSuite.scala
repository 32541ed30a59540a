package io.github.variantshredded.variant

import scala.util.Random

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import org.scalacheck.Arbitrary.arbitrary
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Spoilt bytes: our error or a value, never another exception. */
class MalformedVariantSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 150)

  private val validator = new VariantValidator

  // What the bytes are if they are accepted; accepted bytes have to be readable as a whole.
  private def check(metadata: Array[Byte], value: Array[Byte]): Option[VariantTree] = {
    val accepted =
      try {
        val names = MetadataDictionary.parse(metadata, 0, metadata.length)
        validator.check(value, 0, value.length, names)
        true
      } catch { case e: VariantShreddedException => e.condition != "MALFORMED_VARIANT" }
    if (accepted) Some(ProductCodec.decode(metadata, value)) else None
  }

  // Reads without having validated; overlapping children are read as often as they are named.
  private def readUnchecked(metadata: Array[Byte], value: Array[Byte], strict: Boolean): Unit =
    try {
      val names = MetadataDictionary.parse(metadata, 0, metadata.length, strict)
      val _ = ProductCodec.read(names, value, 0, value.length)
    } catch {
      case e: VariantShreddedException => assert(e.condition == "MALFORMED_VARIANT"): Unit
      // The model of the tests refuses repeated names.
      case e: IllegalArgumentException => assert(e.getMessage.contains("unique")): Unit
    }

  test("every truncation is refused") {
    forAll(genVariantTree(3, 4), arbitrary[Long]) { (tree, seed) =>
      val (metadata, value) = VariantTree.encode(tree, seed)
      value.indices.foreach(n => assert(check(metadata, value.take(n)).isEmpty))
      metadata.indices.foreach(n => assert(check(metadata.take(n), value).isEmpty))
      value.indices.foreach(n => readUnchecked(metadata, value.take(n), strict = false))
      metadata.indices.foreach(n => readUnchecked(metadata.take(n), value, strict = false))
    }
  }

  test("bytes after the end are refused") {
    forAll(genVariantTree(3, 4), arbitrary[Byte]) { (tree, byte) =>
      val (metadata, value) = VariantTree.encode(tree)
      assert(check(metadata, value :+ byte).isEmpty)
      assert(check(metadata :+ byte, value).isEmpty)
    }
  }

  test("one spoilt byte gives our error or another value") {
    forAll(genVariantTree(3, 4), arbitrary[Long]) { (tree, seed) =>
      val (metadata, value) = VariantTree.encode(tree, seed)
      val rng = new Random(seed)
      for (i <- value.indices; byte <- Seq(rng.nextInt(), value(i) ^ 1 << rng.nextInt(8), 0, 255)) {
        val spoilt = value.updated(i, byte.toByte)
        assert(check(metadata, spoilt).forall(VariantTree.depth(_) <= 1000))
        readUnchecked(metadata, spoilt, strict = true)
      }
      for (i <- metadata.indices; byte <- Seq(rng.nextInt(), metadata(i) ^ 1 << rng.nextInt(8))) {
        val spoilt = metadata.updated(i, byte.toByte)
        assert(check(spoilt, value).forall(VariantTree.depth(_) <= 1000))
        readUnchecked(spoilt, value, strict = false)
      }
    }
  }

  test("all values of all bytes of a small value of every kind") {
    val tree = obj(
      "a" -> arr(Int8(1), Decimal4(12, 1), Str("\u00e4"), obj()),
      "b" -> Binary(Vector(1)),
      "c" -> Time(5)
    )
    val (metadata, value) = VariantTree.encode(tree)
    for (i <- value.indices; byte <- 0 to 255) {
      val spoilt = value.updated(i, byte.toByte)
      // What is accepted and written again is the same value.
      check(metadata, spoilt).foreach { read =>
        val (names, bytes) = ProductCodec.encode(read)
        assert(sameAs(VariantTree.decode(names, bytes), read))
      }
      readUnchecked(metadata, spoilt, strict = true)
    }
    for (i <- metadata.indices; byte <- 0 to 255) {
      val _ = check(metadata.updated(i, byte.toByte), value)
      readUnchecked(metadata.updated(i, byte.toByte), value, strict = false)
    }
  }

  test("random bytes") {
    forAll(arbitrary[Array[Byte]], arbitrary[Array[Byte]]) { (metadata, value) =>
      val _ = check(metadata, value)
      val _ = check(Array[Byte](1, 2, 0, 1, 2, 'a', 'b'), value)
      readUnchecked(metadata, value, strict = false)
    }
  }
}
