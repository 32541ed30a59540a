package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** `df.write.format("variant-shredded").save(path)` in its modes. */
class PathSaveSuite extends PathSuite {

  private def failing: DataFrame =
    rows(0, 4).selectExpr("n", "if(n = 3, raise_error('boom'), v) as v")

  test("errorifexists, the default") {
    val path = written(rows(0, 2))
    assert(numbers(reader.load(path)) === Seq(0, 1))
    val error = intercept[AnalysisException](writer(rows(2, 4)).save(path))
    assert(error.getCondition === "PATH_ALREADY_EXISTS")
    assert(error.getMessage.contains(path))
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("an unknown partition column is refused before anything else, whatever is there") {
    val path = written(rows(0, 2))
    Seq("errorifexists", "ignore", "append", "overwrite").foreach { mode =>
      val error = intercept[AnalysisException](
        writer(rows(2, 4)).mode(mode).partitionBy("unknown").save(path)
      )
      assert(error.getMessage.contains("Partition column `unknown` not found in schema"))
    }
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("mode ignore keeps the first rows") {
    val path = newPath()
    writer(rows(0, 2)).mode("ignore").save(path)
    writer(rows(2, 4)).mode("ignore").save(path)
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("append, to a new, an empty and a filled directory") {
    val path = newPath()
    writer(rows(0, 2)).mode("append").save(path)
    writer(rows(2, 4)).mode("append").save(path)
    assert(numbers(reader.load(path)) === (0 until 4))
    val empty = newPath()
    Files.createDirectories(Path.of(empty))
    writer(rows(0, 2)).mode("append").save(empty)
    assert(numbers(reader.load(empty)) === Seq(0, 1))
  }

  test("append takes another schema, as Spark's file sources do") {
    val path = written(rows(0, 2))
    writer(rows(2, 3).selectExpr("v", "n", "1.5 as more")).mode("append").save(path)
    assert(numbers(reader.load(path)) === (0 until 3))
    assert(reader.option("mergeSchema", "true").load(path).columns.contains("more"))
  }

  test("overwrite, of a new and a filled directory") {
    val path = newPath()
    writer(rows(0, 2)).mode("overwrite").save(path)
    writer(rows(2, 4)).mode("overwrite").save(path)
    assert(numbers(reader.load(path)) === Seq(2, 3))
    assert(dataFiles(path).size === 1)
  }

  test("partitionBy in every mode, to a new directory") {
    Seq("errorifexists", "ignore", "append", "overwrite").foreach { mode =>
      val path = newPath()
      writer(rows(0, 6)).mode(mode).partitionBy("p").save(path)
      assert(partitions(path) === Seq("p=0", "p=1", "p=2"), mode)
      assert(numbers(reader.load(path)) === (0 until 6), mode)
    }
  }

  test("rows are added in the partitioning that is there") {
    val path = written(rows(0, 3), "p")
    writer(rows(3, 6)).mode("append").partitionBy("p").save(path)
    writer(rows(6, 9)).mode("append").save(path)
    writer(rows(9, 12)).mode("append").partitionBy("P").save(path)
    assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
    assert(dataFiles(path).size === 12)
    val error =
      intercept[VariantShreddedException](
        writer(rows(0, 3)).mode("append").partitionBy("n").save(path)
      )
    assert(
      error.getMessage === "[PARTITIONING_MISMATCH] Cannot add rows partitioned by [n] to " +
        s"'file:$path', which is partitioned by [p]."
    )
    val flat = written(rows(0, 3))
    intercept[VariantShreddedException](
      writer(rows(0, 3)).mode("append").partitionBy("p").save(flat)
    )
  }

  test("partitionBy in other letters: the directories keep their names, in each mode") {
    val path = written(rows(0, 3), "p")
    writer(rows(3, 6).withColumnRenamed("p", "P")).mode("append").partitionBy("P").save(path)
    assert(numbers(reader.load(path)) === (0 until 6))
    withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
      writer(rows(7, 8).withColumnRenamed("p", "P")).mode("overwrite").partitionBy("P").save(path)
    }
    assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
    assert(numbers(reader.load(path)) === Seq(0, 2, 3, 5, 7))
    writer(rows(0, 3)).mode("overwrite").partitionBy("P").save(path)
    assert(partitions(path) === Seq("p=0", "p=1", "p=2")) // the letters of the rows
  }

  test("rows are added to partitions that have an empty file beside them") {
    Seq("", "p=1").foreach { directory =>
      val path = written(rows(0, 3), "p")
      Files.createFile(Path.of(path, directory).resolve("DONE"))
      assert(numbers(reader.load(path)) === Seq(0, 1, 2))
      writer(rows(3, 6)).mode("append").save(path)
      assert(numbers(reader.load(path)) === (0 until 6))
      writer(rows(6, 9)).mode("append").partitionBy("p").save(path)
      assert(numbers(reader.load(path)) === (0 until 9))
    }
  }

  test("an overwrite may change the partitioning") {
    val path = written(rows(0, 3), "p")
    writer(rows(0, 3)).mode("overwrite").partitionBy("n").save(path)
    assert(partitions(path) === Seq("n=0", "n=1", "n=2"))
    writer(rows(0, 3)).mode("overwrite").save(path)
    assert(partitions(path) === Seq(""))
  }

  test("dynamic partition overwrite, by option and by session") {
    val path = written(rows(0, 6), "p")
    writer(rows(10, 11))
      .mode("overwrite")
      .option("partitionOverwriteMode", "dynamic")
      .partitionBy("p")
      .save(path)
    assert(numbers(reader.load(path)) === Seq(0, 2, 3, 5, 10))
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try {
      writer(rows(12, 13)).mode("overwrite").save(path)
      assert(numbers(reader.load(path)) === Seq(2, 5, 10, 12))
      intercept[VariantShreddedException] {
        writer(rows(12, 13)).mode("overwrite").partitionBy("n").save(path)
      }
    } finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
  }

  test("columns with dots, spaces and backticks in their names") {
    val path = newPath()
    val df = rows(0, 3).selectExpr("n", "v", "p as `a.b`", "p as `c ``d`")
    // Spark reads the names as identifiers before it asks us, so that some need quotes.
    writer(df).partitionBy("a.b", "`c ``d`").save(path)
    val read = reader.load(path)
    assert(read.columns.toSet === Set("n", "v", "a.b", "c `d"))
    assert(numbers(read.where("`a.b` = 1 and `c ``d` = 1")) === Seq(1))
    writer(df).mode("append").save(path)
    assert(dataFiles(path).size === 6)
  }

  test("partition columns are checked as Spark checks them") {
    def condition(columns: String*) =
      intercept[AnalysisException](
        writer(rows(0, 1)).partitionBy(columns: _*).save(newPath())
      ).getCondition
    assert(condition("v") === "INVALID_PARTITION_COLUMN_DATA_TYPE")
    assert(condition("n", "p", "v") === "INVALID_PARTITION_COLUMN_DATA_TYPE")
    assert(condition("p", "P") === "COLUMN_ALREADY_EXISTS")
    val error = intercept[AnalysisException] {
      writer(rows(0, 1).select("n", "p")).partitionBy("n", "p").save(newPath())
    }
    assert(error.getCondition === "ALL_PARTITION_COLUMNS_NOT_ALLOWED")
  }

  test("a failed query leaves nothing new, and old data as they were") {
    val path = newPath()
    assert(intercept[Exception](writer(failing).save(path)).getMessage.contains("boom"))
    assert(!Files.exists(Path.of(path)))
    val old = written(rows(0, 2))
    Seq("append", "overwrite").foreach { mode =>
      intercept[Exception](writer(failing).mode(mode).save(old))
      assert(numbers(reader.load(old)) === Seq(0, 1), mode)
    }
  }

  test("no path") {
    val error = intercept[VariantShreddedException](writer(rows(0, 1)).save())
    assert(error.condition === "INVALID_VARIANT_SHREDDED_OPTION")
  }

  test("options and their case come to the writer") {
    val path = newPath()
    writer(rows(0, 4))
      .option("MaxRecordsPerFile", "2")
      .option("compression", "gzip")
      .option("shredding", """{"v": "n int"}""")
      .save(path)
    assert(dataFiles(path).size === 2)
    assert(dataFiles(path).forall(_.endsWith(".gz.parquet")))
    intercept[VariantShreddedException] {
      writer(rows(0, 1)).option("shredding", """{"V": "n in t"}""").save(newPath())
    }
  }

  test("an overwrite of what the query reads") {
    val path = written(rows(0, 4))
    writer(reader.load(path).where("n > 1")).mode("overwrite").save(path)
    assert(numbers(reader.load(path)) === Seq(2, 3))
  }

  test("an empty file says nothing of partitions") {
    val path = newPath()
    Files.createDirectories(Path.of(path))
    Files.createFile(Path.of(path, "DONE"))
    rows(0, 4).write.format("variant-shredded").mode("append").partitionBy("p").save(path)
    assert(numbers(reader.load(path)) === (0 until 4))
    assert(reader.load(path).select("p").distinct().count() > 1)
  }
}
