package io.github.variantshredded.read.file

import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, GreaterThanOrEqual, Literal}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** Byte arrays in plain encoding, in pages without a checksum. */
class PlainBinariesSuite extends AnyFunSuite with TemporaryFolder {

  private val schema = StructType.fromDDL("n bigint, b binary")

  for {
    (what, length) <- Seq("negative" -> (8 | Int.MinValue), "beyond the page" -> (1 << 20))
    offHeap <- Seq(false, true)
  } test(s"a length that is $what is refused also if its row is skipped, off heap $offHeap") {
    val path = folder.resolve(s"$length$offHeap.parquet")
    ParquetFixture.write(
      path,
      "message m { required int64 n; optional binary b; }",
      (0 until 20).map { i =>
        Map("n" -> i.toLong, "b" -> (if (i == 3) new Array[Byte](8) else Array(i.toByte)))
      },
      _.withPageWriteChecksumEnabled(false)
        .withDictionaryEncoding(false)
        .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
    )
    val options = FileRows.readSettings(strict = true, offHeap)
    def read(from: Int) = {
      val n = AttributeReference("n", schema("n").dataType)()
      val condition = Option.when(from > 0)(GreaterThanOrEqual(n, Literal(from.toLong)))
      val pushed = Conjuncts.of(condition.toSeq, schema).pushed
      FileRows.read(path, schema, options, conjuncts = pushed)(_.getBinary(1).toSeq)
    }
    assert(read(10) === (10 until 20).map(i => Seq(i.toByte)))
    PageEdit.editPage(path, "b") { (_, body) =>
      val page = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN)
      // Behind the levels and three values of one byte.
      val at = 4 + page.getInt(0) + 3 * 5
      assert(page.getInt(at) === 8)
      page.putInt(at, length)
      body
    }
    def error(from: Int) = intercept[VariantShreddedException](read(from))
    assert(error(0).condition === "CORRUPT_PARQUET_FILE")
    assert(error(0).reason === s"Cannot read the file: Failed to read $length bytes")
    assert(error(10).getMessage === error(0).getMessage)
  }
}
