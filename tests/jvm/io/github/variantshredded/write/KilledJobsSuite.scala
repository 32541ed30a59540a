package io.github.variantshredded.write

import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame

/** What jobs that were killed, or are still at work, have in `_temporary`. */
class KilledJobsSuite extends WriteSuite {

  private def rows(from: Int, until: Int): DataFrame =
    spark
      .range(from.toLong, until.toLong, 1, 2)
      .selectExpr("cast(id as int) as n", "parse_json(concat('{\"id\": ', id, '}')) as v")

  private def numbers(path: Path): Seq[Int] =
    spark.read.parquet(path.toString).select("n").collect().map(_.getInt(0)).toSeq.sorted

  /** A file where tasks leave theirs when they are done, before the job is. */
  private def leave(path: Path, attempt: Int): Path = {
    val left =
      path.resolve(s"_temporary/$attempt/task_202601310101011_0000_m_000000/part-0.parquet")
    Files.createDirectories(left.getParent)
    Files.copy(onlyFile(written(rows(100, 101).coalesce(1))), left)
  }

  Seq("append", "overwrite").foreach { mode =>
    test(s"$mode: a job commits and removes its own files only") {
      val path = written(rows(0, 4))
      val left = Seq(0, 7).map(leave(path, _))
      writer(rows(4, 6), path).mode(mode).save()
      val expected = if (mode == "append") 0 until 6 else 4 until 6
      assert(numbers(path) === expected)
      intercept[Exception] {
        // One task: another could still be at work, and make its directory anew.
        val failing = rows(6, 8).selectExpr("n", "if(n = 7, raise_error('boom'), v) as v")
        writer(failing.coalesce(1), path).mode(mode).save()
      }
      assert(numbers(path) === expected)
      left.foreach(file => assert(Files.exists(file)))
      assert(path.resolve("_temporary").toFile.list().toSet === Set("0", "7"))
    }
  }

  test("a job that is alone leaves no _temporary") {
    val path = written(rows(0, 4))
    assert(!Files.exists(path.resolve("_temporary")))
    assert(Files.exists(path.resolve("_SUCCESS")))
  }

  test("a committer that the user has chosen is left alone") {
    val key = "spark.sql.parquet.output.committer.class"
    spark.conf.set(key, classOf[RecordingCommitter].getName)
    try {
      RecordingCommitter.jobs.clear()
      val path = written(rows(0, 4))
      assert(numbers(path) === (0 until 4))
      assert(RecordingCommitter.jobs.size === 1)
    } finally spark.conf.unset(key)
  }
}
