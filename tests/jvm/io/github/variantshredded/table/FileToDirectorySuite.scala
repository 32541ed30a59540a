package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import io.github.variantshredded.testing.PathSuite

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

  test("the file is there again when the job reads it") {
    val path = file()
    intercept[Exception](writer(reader.load(path)).mode("overwrite").save(path))
    assert(numbers(reader.load(path)) === Seq(0, 1))
    assert(beside(path) === Set("table"))
  }

  test("the other modes refuse or leave it") {
    val path = file()
    intercept[Exception](writer(rows(4, 6)).mode("append").save(path))
    intercept[Exception](writer(rows(4, 6)).save(path))
    writer(rows(4, 6)).mode("ignore").save(path)
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }
}
