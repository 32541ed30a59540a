package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import scala.util.Try

import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.functions.{col, concat, lit, substring, udf}

/** `mode("overwrite")` on a path that is a file. */
class FileToDirectorySuite extends PathSuite {

  /** A single file with the numbers 0 and 1. */
  private def file(): String = {
    val file = Path.of(newPath())
    Files.move(onlyFile(written(rows(0, 2))), file)
    file.toString
  }

  private def beside(path: String): Set[String] =
    Path.of(path).getParent.toFile.list().toSet.filterNot(_.endsWith(".crc"))

  test("a directory takes its place, as with Spark's Parquet source") {
    val (ours, spark) = (file(), file())
    rows(4, 6).write.mode("overwrite").parquet(spark)
    writer(rows(4, 6)).mode("overwrite").save(ours)
    Seq(ours, spark).foreach { path =>
      assert(Files.isDirectory(Path.of(path)))
      assert(numbers(reader.load(path)) === Seq(4, 5))
      assert(beside(path) === Set("table"))
    }
    val partitioned = file()
    writer(rows(0, 4)).mode("overwrite").partitionBy("p").save(partitioned)
    assert(partitions(partitioned) === Seq("p=0", "p=1", "p=2"))
  }

  test("the file is there again when the job fails") {
    val path = file()
    val failing = rows(4, 6).selectExpr("n", "if(n = 5, raise_error('boom'), v) as v")
    intercept[Exception](writer(failing).mode("overwrite").save(path))
    assert(numbers(reader.load(path)) === Seq(0, 1))
    assert(beside(path) === Set("table"))
  }

  test("the job may read the file, which is there until the job has ended") {
    val path = file()
    val kept = reader.load(path).where("n = 1")
    // Each row looks for the file when the job has begun.
    val isThere = udf((name: String) => Files.isRegularFile(Path.of(name)))
    val checked = kept.withColumn("there", isThere(concat(lit(path), substring(col("n"), 1, 0))))
    writer(checked).mode("overwrite").save(path)
    val saved = reader.load(path)
    assert(numbers(saved) === Seq(1))
    assert(saved.where("there").count() === 1)
    assert(beside(path) === Set("table"))
  }

  test("a file that a process has put aside when it died gets its name back from the next save") {
    Seq("append", "errorifexists", "ignore", "overwrite").foreach { mode =>
      val path = file()
      Files.move(Path.of(path), Path.of(path).resolveSibling(".table.replaced"))
      Files.createDirectories(Path.of(path).resolveSibling(".table_replacing_1"))
      val refused = Set("append", "errorifexists")(mode)
      val saved = Try(writer(rows(4, 6)).mode(mode).save(path))
      assert(saved.isFailure === refused, mode)
      assert(numbers(reader.load(path)) === (if (mode == "overwrite") Seq(4, 5) else Seq(0, 1)))
    }
  }

  test("a file that was left beside its new directory is not taken for the data") {
    val path = file()
    Files.move(Path.of(path), Path.of(path).resolveSibling(".table.replaced"))
    writer(rows(4, 6)).save(path)
    assert(numbers(reader.load(path)) === Seq(4, 5))
  }

  test("the other modes refuse or leave it") {
    val path = file()
    intercept[Exception](writer(rows(4, 6)).mode("append").save(path))
    intercept[Exception](writer(rows(4, 6)).save(path))
    writer(rows(4, 6)).mode("ignore").save(path)
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }
}
