package io.github.variantshredded.variant

import java.time.ZoneId

import scala.util.{Failure, Random, Success, Try}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree
import org.apache.spark.types.variant.{Variant, VariantBuilder}
import org.scalacheck.Arbitrary.arbitrary
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class VariantJsonSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val zone = ZoneId.of("America/Los_Angeles")
  private val json = new VariantJson(zone)

  private def assertAsSpark(value: Array[Byte], metadata: Array[Byte]): Unit = {
    val ours = Try(json.write(value, metadata).toString)
    Try(new Variant(value, metadata).toJson(zone)) match {
      case Success(text)  => assert(ours == Success(text)): Unit
      case Failure(error) =>
        assert(ours.failed.map(_.getMessage) == Success(error.getMessage)): Unit
    }
  }

  test("every value is written as Spark writes it") {
    forAll(genVariantTree(3, 5), arbitrary[Long]) { (tree, seed) =>
      val (metadata, value) = VariantTree.encode(tree, seed)
      assertAsSpark(value, metadata)
    }
  }

  test("a few bytes that stand for a text without end are malformed") {
    val metadata = Array[Byte](1, 0, 0)
    // Each array has three elements, and all of them are the array three bytes behind its offsets.
    val arrays = Array.fill(300)(3: Byte) ++ new Array[Byte](9)
    // Behind a number that is left to Spark.
    val nan = Array[Byte](7 << 2, 0, 0, 0, 0, 0, 0, 0xf8.toByte, 0x7f)
    val broken = Array[Byte](3, 2, 0, nan.length.toByte, 0) ++ nan ++ arrays
    Seq(arrays, broken).foreach { value =>
      val error = intercept[VariantShreddedException](json.write(value, metadata))
      assert(error.condition === "MALFORMED_VARIANT")
    }
  }

  test("parts that overlap a few times are written as Spark writes them") {
    (1 to 40).foreach { length =>
      assertAsSpark(Array.fill(length)(3: Byte) ++ new Array[Byte](9), Array[Byte](1, 0, 0))
    }
  }

  test("numbers, escapes and names") {
    val chars = (0 to 0x300).map(_.toChar).mkString
    val texts = Seq("", "\"", "\\", "/", chars, "\ud83d\ude00", "\u2028", "x" * 5000)
    val builder = new VariantBuilder(false)
    val start = builder.getWritePos
    val entries = new java.util.ArrayList[VariantBuilder.FieldEntry]
    texts.foreach { text =>
      entries.add(
        new VariantBuilder.FieldEntry(text, builder.addKey(text), builder.getWritePos - start)
      )
      builder.appendString(text)
    }
    val numbers =
      Seq(0L, 9L, 10L, -1L, 99L, 100L, Long.MaxValue, Long.MinValue, Int.MinValue.toLong) ++
        (1 to 18).flatMap(n => Seq(math.pow(10, n).toLong, math.pow(10, n).toLong - 1))
    numbers.distinct.foreach { number =>
      val name = s"n$number"
      entries.add(
        new VariantBuilder.FieldEntry(name, builder.addKey(name), builder.getWritePos - start)
      )
      builder.appendLong(number)
    }
    builder.finishWritingObject(start, entries)
    val variant = builder.result()
    assertAsSpark(variant.getValue, variant.getMetadata)
    assert(json.write(variant.getValue, variant.getMetadata).numBytes > 5000)
  }

  test("the same writer over values of different metadata") {
    (0 until 20).foreach { i =>
      val variant = VariantBuilder.parseJson(s"""{"a${i % 3}": {"b$i": [$i, null, true]}}""", false)
      assert(
        json.write(variant.getValue, variant.getMetadata).toString ==
          s"""{"a${i % 3}":{"b$i":[$i,null,true]}}"""
      )
    }
  }

  test("nested deeper than the quick way goes") {
    val (metadata, value) =
      VariantTree.encode((1 to 1100).foldLeft(VariantTree.arr())((in, _) => VariantTree.arr(in)))
    // Spark's way takes more of the stack.
    var outcome: Option[Try[Unit]] = None
    val thread = new Thread(
      null,
      () => outcome = Some(Try(assertAsSpark(value, metadata))),
      "deep",
      64L << 20
    )
    thread.start()
    thread.join()
    outcome.get.get
  }

  test("spoilt bytes give Spark's text or Spark's error") {
    forAll(genVariantTree(2, 4), arbitrary[Long]) { (tree, seed) =>
      val random = new Random(seed)
      val (metadata, value) = VariantTree.encode(tree, seed)
      val spoilt = value.clone()
      spoilt(random.nextInt(spoilt.length)) = random.nextInt().toByte
      assertAsSpark(spoilt, metadata)
      assertAsSpark(value.take(random.nextInt(value.length)), metadata)
      val names = metadata.clone()
      names(random.nextInt(names.length)) = random.nextInt().toByte
      assertAsSpark(value, names)
    }
  }
}
