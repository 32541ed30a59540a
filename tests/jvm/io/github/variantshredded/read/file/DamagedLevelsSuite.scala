package io.github.variantshredded.read.file

import java.nio.file.Path

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.parquet.format.PageHeader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** A wrong level in a page without a checksum is an error, and shifts no row. */
class DamagedLevelsSuite extends AnyFunSuite with TemporaryFolder {

  private def settings(
      v2: Boolean
  )(builder: ExampleParquetWriter.Builder): ExampleParquetWriter.Builder = builder
    .withPageWriteChecksumEnabled(false)
    .withDictionaryEncoding(false)
    .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
    .withWriterVersion(MalformedParquet.version(v2))

  /** Changes bytes of the first page of a leaf column. */
  private def change(path: Path, leaf: String)(edit: Array[Byte] => Unit): Unit =
    PageEdit.editPage(path, leaf) { (_: PageHeader, body) =>
      edit(body)
      body
    }

  private def assertCorrupt(path: Path, columns: String, reason: String): Unit = for {
    size <- Seq(40, 4096)
    offHeap <- Seq(false, true)
  } {
    val options = FileRows.readSettings(strict = true, offHeap, size)
    val error = intercept[VariantShreddedException] {
      FileRows.read(path, StructType.fromDDL(columns), options)(_.copy())
    }
    assert(error.condition === "CORRUPT_PARQUET_FILE", error.getMessage)
    assert(error.reason === reason)
  }

  for {
    (encoding, leaf, ddl) <- Seq(
      ("DELTA_BINARY_PACKED", "int64 n", "n bigint"),
      ("DELTA_BYTE_ARRAY", "binary n (STRING)", "n string")
    )
  } test(s"levels that call nulls values are refused, encoding $encoding") {
    val path = folder.resolve(s"$encoding.parquet")
    val value: Int => Any = if (leaf.startsWith("int64")) _.toLong else i => s"value $i"
    // Levels 1, 100 times, then 0, ten times.
    ParquetFixture.write(
      path,
      s"message m { optional $leaf; }",
      (0 until 110).map(i => if (i < 100) Map("n" -> value(i)) else Map.empty[String, Any]),
      settings(v2 = true)
    )
    assert(FileRows.read(path, StructType.fromDDL(ddl))(_.isNullAt(0)).count(identity) === 10)
    change(path, "n") { body =>
      assert(body.take(5) === ParquetFixture.bytes("c801 01 1400"))
      body(4) = 1
    }
    assertCorrupt(path, ddl, "A page of 110 values has 100 delta-encoded values.")
  }
}
