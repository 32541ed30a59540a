package io.github.variantshredded.read

import java.nio.file.Files

import io.github.variantshredded.SparkSuite
import org.apache.spark.sql.types.StructType

class BatchSizeSuite extends SparkSuite {

  private val Mebi = 1L << 20

  test("a batch has the rows asked for, as long as these are small") {
    assert(BatchDecoder.rows(size = 100 * Mebi, count = 1000000, most = 4096) === 4096)
    assert(BatchDecoder.rows(size = 4096 * 4096, count = 4096, most = 4096) === 4096)
    assert(BatchDecoder.rows(size = 100 * Mebi, count = 100, most = 7) === 7)
  }

  test("large rows come in small batches") {
    assert(BatchDecoder.rows(size = 4096 * Mebi, count = 4096, most = 4096) === 16)
    assert(BatchDecoder.rows(size = 300 * Mebi, count = 3, most = 4096) === 1)
  }

  test("there is a batch whatever the footer says") {
    assert(BatchDecoder.rows(size = 0, count = 0, most = 4096) === 4096)
    assert(BatchDecoder.rows(size = -5, count = 10, most = 4096) === 4096)
    assert(BatchDecoder.rows(size = Long.MaxValue, count = 1, most = 4096) === 1)
  }

  test("a file of large Variants is read in batches of 16 MiB at most") {
    val folder = Files.createTempDirectory("large")
    try {
      spark
        .range(0, 40, 1, 1)
        .selectExpr("parse_json(to_json(struct(id, repeat(char(65 + id), 1 << 20) AS s))) AS v")
        .write
        .format("variant-shredded")
        .option("shredding", "none")
        .mode("append")
        .save(folder.toString)
      val files = Files.list(folder)
      val file =
        try files.filter(_.toString.endsWith(".parquet")).findFirst.get
        finally files.close()
      val schema = StructType.fromDDL("v variant")
      val options = FileRows.readOptions(strict = true)
      val sizes = FileRows.batchSizes(file, schema, options)
      assert(sizes.sum === 40)
      assert(sizes.max <= 16)
      // Each row has another letter, 2^20 times.
      val letters = FileRows.read(file, schema, options) { row =>
        val text = FileRows.tree(row.getVariant(0)).toString
        ('A' until 'A' + 40).map(_.toChar).filter(letter => text.count(_ == letter) >= (1 << 20))
      }
      assert(letters.flatten === ('A' until 'A' + 40).map(_.toChar))
    } finally org.apache.commons.io.FileUtils.deleteDirectory(folder.toFile)
  }
}
