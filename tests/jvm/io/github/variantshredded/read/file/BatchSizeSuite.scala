package io.github.variantshredded.read.file

import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.types.StructType

class BatchSizeSuite extends PathSuite {

  private val Mebi = 1L << 20

  private def rows(size: Long, count: Long, most: Int): Int =
    BatchDecoder.rows(size, size, count, None, most)

  test("a batch has the rows asked for, as long as these are small") {
    assert(rows(100 * Mebi, 1000000, 4096) === 4096)
    assert(rows(4096 * 4096, 4096, 4096) === 4096)
    assert(rows(100 * Mebi, 100, 7) === 7)
  }

  test("large rows come in small batches") {
    assert(rows(4096 * Mebi, 4096, 4096) === 16)
    assert(rows(300 * Mebi, 3, 4096) === 1)
  }

  test("what Variants are rebuilt from stays in the cache, with some rows for each column") {
    def rows(bytesPerRow: Long, leaves: Int) =
      BatchDecoder.rows(bytesPerRow * 10000, bytesPerRow * 10000, 10000, Some(leaves), 4096)
    assert(rows(bytesPerRow = 16, leaves = 5) === 4096)
    assert(rows(bytesPerRow = 256, leaves = 30) === 512)
    assert(rows(bytesPerRow = 4096, leaves = 30) === 256)
    assert(rows(bytesPerRow = 4096, leaves = 900) === 900)
    assert(rows(bytesPerRow = Mebi, leaves = 900) === 16)
  }

  test("there is a batch whatever the footer says") {
    assert(rows(0, 0, 4096) === 4096)
    assert(rows(-5, 10, 4096) === 4096)
    assert(rows(Long.MaxValue, 1, 4096) === 1)
  }

  test("a file of large Variants is read in batches of 16 MiB at most") {
    val path = newPath()
    val large = "parse_json(to_json(struct(id, repeat(char(65 + id), 1 << 20) AS s))) AS v"
    writer(spark.range(0, 40, 1, 1).selectExpr(large)).option("shredding", "none").save(path)
    val schema = StructType.fromDDL("v variant")
    val options = FileRows.readSettings(strict = true)
    val sizes = FileRows.batchSizes(onlyFile(path), schema, options)
    assert(sizes.sum === 40)
    assert(sizes.max <= 16)
    // Each row has another letter, 2^20 times.
    val letters = FileRows.read(onlyFile(path), schema, options) { row =>
      val text = FileRows.tree(row.getVariant(0)).toString
      val letter = text(text.length / 2)
      (letter, text.count(_ == letter) >= (1 << 20))
    }
    assert(letters === (0 until 40).map(id => (('A' + id).toChar, true)))
  }

  test("a string that many rows have takes no more memory than 16 MiB in a batch") {
    val path = newPath()
    val large =
      """parse_json(if(id = 90, '{"a": 1}', concat('{"a": "', repeat('x', 600000), '"}')))"""
    writer(spark.range(0, 150, 1, 1).selectExpr(s"$large AS v"))
      .option("shredding", "a string")
      .save(path)
    val options = FileRows.readSettings(strict = true)
    val sizes = FileRows.batchSizes(onlyFile(path), StructType.fromDDL("v variant"), options)
    assert(sizes.sum === 150 && sizes.max < 64)
    val read = reader.load(path)
    assert(read.selectExpr("sum(length(v:a::string))").head().getLong(0) === 149 * 600000L + 1)
    assert(read.selectExpr("sum(length(v::string))").head().getLong(0) === 149 * 600008L + 7)
  }

  test("a file of many columns is read in batches whose vectors fit into memory") {
    val path = newPath()
    val columns = (0 until 3000).map(i => s"id + $i AS c$i")
    val rows = spark.range(0, 1500, 1, 1)
    writer(rows.selectExpr(columns :+ "parse_json('{\"a\":' || id || '}') AS v": _*)).save(path)
    val schema = spark.read.format("variant-shredded").load(path).schema
    val options = FileRows.readSettings(strict = true)
    assert(FileRows.batchSizes(onlyFile(path), schema, options).max === (2 << 20) / 3005)
    assert(FileRows.batchSizes(onlyFile(path), StructType(schema.take(5)), options) === Seq(1500))
    val found = FileRows.read(onlyFile(path), schema, options)(row => row.getLong(2999))
    assert(found === (0 until 1500).map(_ + 2999L))
  }

  // Most of the elements are null, so that they take few bytes in the file.
  private def batchesOfArrays(rows: Int, elements: Int, shredded: Boolean): Vector[Int] = {
    val path = newPath()
    val array = s"transform(sequence(1, $elements), i -> if(i = 7, named_struct('a', i), null))"
    val column = if (shredded) s"to_variant_object($array) AS v" else s"$array AS v"
    writer(spark.range(0, rows, 1, 1).selectExpr(column))
      .option("shredding", if (shredded) "array<struct<a int>>" else "none")
      .save(path)
    val schema = StructType.fromDDL(if (shredded) "v variant" else "v array<struct<a int>>")
    val sizes =
      FileRows.batchSizes(onlyFile(path), schema, FileRows.readSettings(strict = true))
    assert(sizes.sum === rows)
    sizes
  }

  test("arrays of many nulls take no more memory than 16 MiB in a batch") {
    assert(batchesOfArrays(rows = 1000, elements = 1000, shredded = false).max <= 699)
    // Such an array has two leaf columns that are not all null.
    assert(batchesOfArrays(rows = 500, elements = 1000, shredded = true).max <= 349)
  }

  test("ordinary arrays come in batches as large as without arrays") {
    assert(batchesOfArrays(rows = 5000, elements = 10, shredded = false).max === 4096)
    assert(batchesOfArrays(rows = 5000, elements = 10, shredded = true).max >= 1024)
  }
}
