package io.github.variantshredded.variant

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.nio.charset.StandardCharsets.UTF_8

import io.github.variantshredded.testing.VariantGenerators._
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class KeyOrderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 5000)

  private def order(a: String, b: String): Int = {
    val as = a.getBytes(UTF_8)
    val bs = b.getBytes(UTF_8)
    Integer.signum(KeyOrder.compare(as, 0, as.length, bs, 0, bs.length))
  }

  test("the order of names is that of java.lang.String") {
    for (a <- weirdNames; b <- weirdNames) assert(order(a, b) == Integer.signum(a.compareTo(b)))
    forAll(genText(6), genText(6)) { (a, b) =>
      assert(order(a, b) == Integer.signum(a.compareTo(b)))
      assert(order(a + b, a) == Integer.signum(b.length))
    }
  }

  test("names with a common beginning, on both sides of the surrogates") {
    val prefix = "\ud83d\ude00\uffee"
    forAll(genText(3), genText(3)) { (a, b) =>
      assert(order(prefix + a, prefix + b) == Integer.signum(a.compareTo(b)))
    }
    assert(order("\ud800\udc00", "\ue000") < 0)
    assert(order("\ud800\udc00", "\ud7ff") > 0)
  }

  test("the order looks at the given ranges alone") {
    val bytes = "xxabxaby".getBytes(UTF_8)
    assert(KeyOrder.compare(bytes, 2, 2, bytes, 5, 2) == 0)
    assert(KeyOrder.compare(bytes, 2, 2, bytes, 5, 3) < 0)
    assert(KeyOrder.compareUnsigned(bytes, 2, 2, bytes, 5, 2) == 0)
  }

  private def isUtf8(bytes: Array[Byte]): Boolean =
    try {
      val decoder = UTF_8.newDecoder
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT)
      decoder.decode(ByteBuffer.wrap(bytes)) != null
    } catch { case _: CharacterCodingException => false }

  private def agrees(bytes: Array[Byte]): Boolean =
    (Utf8.firstMalformed(bytes, 0, bytes.length) < 0) == isUtf8(bytes)

  // Bytes at the borders of all classes of the UTF-8 table.
  private val telling: Seq[Byte] =
    Seq(0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
      0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff).map(_.toByte)

  test("UTF-8 is what the JDK's decoder takes: all short sequences of telling bytes") {
    for (a <- telling; b <- telling; c <- telling; d <- telling)
      assert(agrees(Array(a, b, c, d)), Seq(a, b, c, d))
    for (a <- telling; b <- telling; c <- telling) assert(agrees(Array(a, b, c)))
    for (a <- telling; b <- telling) assert(agrees(Array(a, b)))
  }

  test("UTF-8 with one byte changed or cut off, at any index of the words of eight") {
    forAll(genText(30), Gen.choose(0, 200), Gen.oneOf(telling)) { (text, at, byte) =>
      val bytes = text.getBytes(UTF_8)
      assert(Utf8.firstMalformed(bytes, 0, bytes.length) < 0)
      if (bytes.nonEmpty) {
        val index = at % bytes.length
        assert(agrees(bytes.updated(index, byte)))
        assert(agrees(bytes.take(index)))
        assert(agrees(bytes.drop(index)))
      }
    }
  }

  test("the index of the fault is where the faulty sequence begins") {
    val bytes = "0123456789".getBytes(UTF_8) ++ Array(0xc3, 0xa4, 0xe2, 0x82).map(_.toByte)
    assert(Utf8.firstMalformed(bytes, 0, bytes.length) == 12)
    assert(Utf8.firstMalformed(bytes, 0, 12) == -1)
    assert(Utf8.firstMalformed(bytes, 0, 11) == 10)
  }
}
