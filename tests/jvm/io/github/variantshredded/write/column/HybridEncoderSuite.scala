package io.github.variantshredded.write.column

import java.nio.ByteBuffer

import org.apache.parquet.bytes.ByteBufferInputStream
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class HybridEncoderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def decoded(bytes: Array[Byte], width: Int, count: Int): Seq[Int] = {
    val decoder =
      new RunLengthBitPackingHybridDecoder(
        width,
        ByteBufferInputStream.wrap(ByteBuffer.wrap(bytes))
      )
    Seq.fill(count)(decoder.readInt())
  }

  private def encoded(encoder: HybridEncoder): Array[Byte] = {
    val out = new java.io.ByteArrayOutputStream
    encoder.finish().writeAllTo(out)
    out.toByteArray
  }

  private val genRuns: Gen[(Int, Seq[(Int, Int)])] = for {
    width <- Gen.oneOf(Gen.choose(0, 10), Gen.choose(0, 31))
    runs <- Gen.listOf(
      Gen.zip(
        Gen.choose(0, ((1L << width) - 1).toInt),
        Gen.frequency(8 -> Gen.choose(1, 3), 2 -> Gen.choose(1, 20), 1 -> Gen.choose(1, 3000))
      )
    )
  } yield (width, runs)

  test("parquet-java decodes what is encoded, run by run and value by value") {
    forAll(genRuns, minSuccessful(500)) { case (width, runs) =>
      val values = runs.flatMap { case (value, count) => Seq.fill(count)(value) }
      val byRun = new HybridEncoder(width)
      runs.foreach { case (value, count) => byRun.addRun(value, count) }
      val bytes = encoded(byRun)
      assert(decoded(bytes, width, values.size) === values)
      val byValue = new HybridEncoder(width)
      byValue.add(0)
      byValue.finish()
      byValue.reset()
      values.foreach(byValue.add)
      assert(encoded(byValue).toSeq === bytes.toSeq)
    }
  }

  test("a long run takes a few bytes") {
    val encoder = new HybridEncoder(3)
    encoder.addRun(5, 1000000)
    assert(encoder.finish().size === 4)
  }

  test("the bits of the largest value") {
    assert(Seq(0, 1, 2, 3, 4, 255, 256).map(HybridEncoder.bitWidth) === Seq(0, 1, 2, 2, 3, 8, 9))
  }
}
