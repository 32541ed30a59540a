package io.github.variantshredded.read.pages

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.ParquetFixture
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName.LZ4
import org.scalatest.funsuite.AnyFunSuite

/** Pages in the deprecated codec LZ4, which parquet-java compresses by Hadoop's. */
class Lz4PagesSuite extends AnyFunSuite {

  private val codecs = new CodecFactory(new Configuration(false), 1024)
  private val decompressor = new BoundedCodecFactory(codecs).getDecompressor(LZ4)

  private def compressed(bytes: Array[Byte]): Array[Byte] =
    codecs.getCompressor(LZ4).compress(BytesInput.from(bytes)).toInputStream.readAllBytes()

  private def decompressed(page: Array[Byte], size: Int): Array[Byte] =
    decompressor.decompress(BytesInput.from(page), size).toInputStream.readAllBytes()

  test("pages of all sizes come back, those of several blocks too") {
    val random = new scala.util.Random(31)
    Seq(0, 1, 15, 1000, 70000, 300000, 2000000).foreach { size =>
      val even = Array.tabulate(size)(i => (i / 100).toByte)
      val odd = random.nextBytes(size)
      assert(decompressed(compressed(even), size) === even, s"$size bytes")
      assert(decompressed(compressed(odd), size) === odd, s"$size bytes")
    }
  }

  private def reason(page: String, size: Int): String =
    intercept[VariantShreddedException](decompressed(ParquetFixture.bytes(page), size)).reason

  test("sizes that a page does not have are refused before memory is taken for them") {
    val most = "at most"
    assert(
      reason("00000010 12010000 00", 16) ===
        s"A part in LZ4 claims 302055424 bytes, $most 1 can be there."
    )
    assert(
      reason("7fffffff 00000001 00", 16) ===
        s"A block in LZ4 claims 2147483647 bytes, $most 16 can be there."
    )
    assert(reason("000000", 16) === s"A block in LZ4 claims 0 bytes, $most 16 can be there.")
    assert(reason("00000010", 16) === s"A part in LZ4 claims 0 bytes, $most 0 can be there.")
    assert(reason("00000010 00000001 00", 16) === "A part in LZ4 is empty.")
    assert(
      reason("00000010 00000002 ffff", 16).startsWith("A part in LZ4 cannot be decompressed: ")
    )
  }

  test("a page that ends early is refused") {
    val whole = compressed(Array.tabulate(1000)(_.toByte))
    whole.indices.foreach { length =>
      intercept[VariantShreddedException](decompressed(whole.take(length), 1000))
    }
  }
}
