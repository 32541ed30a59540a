package io.github.variantshredded.variant

import scala.util.{Random, Try}

import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree
import org.apache.spark.types.variant.VariantBuilder
import org.scalacheck.Arbitrary.arbitrary
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class QuickCheckSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 500)

  private val quick = new QuickCheck
  private val validator = new VariantValidator

  private def accepts(value: Array[Byte], metadata: Array[Byte], maxDepth: Int = 64): Boolean = {
    val names = MetadataDictionary.parse(metadata, 0, metadata.length)
    quick.accepts(value, 0, value.length, names, maxDepth)
  }

  test("what Spark writes is accepted, its fields in the order of the text") {
    val texts = Seq(
      """{"b": 1, "a": {"z": "x", "y": [1, "ä", {"q": 1.5}]}, "c": null}""",
      """[[], {}, "long long long long long long long long long long long long long text"]""",
      (0 until 300).map(i => s""""k${(i * 7919) % 300}": $i""").mkString("{", ",", "}")
    )
    texts.foreach { text =>
      val variant = VariantBuilder.parseJson(text, false)
      assert(accepts(variant.getValue, variant.getMetadata))
    }
  }

  test("nothing is accepted that the check in depth refuses") {
    var accepted = 0
    forAll(genVariantTree(3, 4), arbitrary[Long]) { (tree, seed) =>
      val random = new Random(seed)
      val (metadata, value) = VariantTree.encode(tree, seed)
      val names = MetadataDictionary.parse(metadata, 0, metadata.length)
      (0 until 40).foreach { _ =>
        val spoilt = value.clone()
        val at = random.nextInt(spoilt.length)
        spoilt(at) =
          if (random.nextBoolean()) random.nextInt().toByte
          else (spoilt(at) + random.nextInt(5) - 2).toByte
        if (accepts(spoilt, metadata)) {
          accepted += 1
          assert(
            Try(validator.checkInDepth(spoilt, 0, spoilt.length, names, 512)).isSuccess,
            spoilt.map(b => f"$b%02x").mkString(" ")
          )
        }
      }
    }
    assert(accepted > 0)
  }

  test("two fields at one offset, and an offset that none has, are not accepted") {
    val variant = VariantBuilder.parseJson("""{"b": 1, "a": 2}""", false)
    val value = variant.getValue
    // header, count, ids, offsets of a, b and the end, values
    assert(value.toSeq == Seq(2, 2, 1, 0, 2, 0, 4, 12, 1, 12, 2).map(_.toByte))
    assert(accepts(value, variant.getMetadata))
    Seq(5 -> 2, 4 -> 0, 4 -> 1, 4 -> 4, 6 -> 3).foreach { case (at, offset) =>
      val spoilt = value.clone()
      spoilt(at) = offset.toByte
      assert(!accepts(spoilt, variant.getMetadata), s"$offset at $at")
    }
  }

  test("nesting is accepted up to the depth allowed") {
    val variant = VariantBuilder.parseJson("[[[1]]]", false)
    assert(accepts(variant.getValue, variant.getMetadata, maxDepth = 3))
    assert(!accepts(variant.getValue, variant.getMetadata, maxDepth = 2))
  }
}
