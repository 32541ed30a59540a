package io.github.variantshredded.read.pages

import io.github.variantshredded.errors.VariantShreddedException
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName._
import org.scalatest.funsuite.AnyFunSuite

/** How many bytes a page may claim to hold. */
class BoundedCodecFactorySuite extends AnyFunSuite {
  private val codecs = new CodecFactory(new Configuration(false), 1024)
  private val bounded = new BoundedCodecFactory(codecs)

  private def compressed(codec: CompressionCodecName, bytes: Array[Byte]): Array[Byte] =
    codecs.getCompressor(codec).compress(BytesInput.from(bytes)).toInputStream.readAllBytes()

  private def decompressed(codec: CompressionCodecName, page: Array[Byte], size: Int): Array[Byte] =
    bounded
      .getDecompressor(codec)
      .decompress(BytesInput.from(page), size)
      .toInputStream
      .readAllBytes()

  private val noise = new scala.util.Random(5).nextBytes(1 << 16)

  Seq(UNCOMPRESSED, SNAPPY, GZIP, LZ4, LZ4_RAW).foreach { codec =>
    test(s"$codec: 64 KiB cannot hold 2 GiB") {
      val page = compressed(codec, noise)
      assert(decompressed(codec, page, noise.length) === noise)
      val error =
        intercept[VariantShreddedException](decompressed(codec, page, Int.MaxValue))
      assert(error.condition === "CORRUPT_PARQUET_FILE")
      assert(
        error.reason === s"A page of ${page.length} bytes claims to hold ${Int.MaxValue} bytes."
      )
    }
  }

  Seq(SNAPPY, GZIP, LZ4, LZ4_RAW, ZSTD).foreach { codec =>
    test(s"$codec: pages that are compressed as far as possible are read") {
      val size = 40 << 20
      val page = compressed(codec, new Array[Byte](size))
      info(s"ratio ${size / page.length}")
      assert(decompressed(codec, page, size).length === size)
    }
  }
}
