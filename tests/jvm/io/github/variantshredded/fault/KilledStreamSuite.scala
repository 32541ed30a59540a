package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.tagobjects.Slow

/** Write, stream, write: processes that are killed and started again lose and double no row. */
class KilledStreamSuite extends PathSuite {

  private val Rows = 6

  private def give(input: String, files: Range): Unit = files.foreach { file =>
    writer(rows(file * Rows, file * Rows + Rows)).partitionBy("p").mode("append").save(input)
  }

  /** The numbers of the batches that are in a log of the checkpoint. */
  private def batches(checkpoint: String, log: String): Set[Int] = {
    val directory = Path.of(checkpoint, log)
    if (!Files.isDirectory(directory)) Set.empty
    else
      Using
        .resource(Files.list(directory))(_.iterator.asScala.toList)
        .flatMap(_.getFileName.toString.toIntOption)
        .toSet
  }

  /** Runs the query in a process of its own, and kills it when `moment` has come. */
  private def killed(input: String, output: String, checkpoint: String)(
      moment: => Boolean
  ): Unit = {
    val log = folder.resolve("child.log")
    val child = KilledStreamChild.start(input, output, checkpoint, log)
    try {
      val end = System.nanoTime + 120 * 1000000000L
      while (!moment) {
        assert(child.isAlive, Files.readString(log).takeRight(2000))
        assert(System.nanoTime < end, Files.readString(log).takeRight(2000))
        Thread.sleep(5)
      }
    } finally {
      child.destroyForcibly()
      child.waitFor()
    }
    assert(child.exitValue === 128 + 9)
  }

  test("killed in the middle of batches and between them, while batch jobs add files", Slow) {
    val (input, output, checkpoint) = (newPath(), newPath(), newPath())
    def offsets = batches(checkpoint, "offsets")
    def commits = batches(checkpoint, "commits")
    give(input, 0 until 3)
    killed(input, output, checkpoint)(commits.nonEmpty && offsets.size > commits.size)
    give(input, 3 until 5)
    var files = 5
    // In the middle of a batch, after one that was given while the process ran.
    val before = commits.size
    killed(input, output, checkpoint) {
      if (files == 5 && commits.size > before) {
        give(input, 5 until 8)
        files = 8
      }
      files == 8 && commits.size > before + 2 && offsets.size > commits.size
    }
    // All are read, and the process waits for more.
    killed(input, output, checkpoint) {
      offsets == commits && {
        val read = reader.load(output).select("n").count()
        read == files * Rows
      }
    }
    give(input, 8 until 10)
    val last = KilledStreamChild
      .query(spark, input, output, pauseMillis = 0)
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.AvailableNow())
      .start(output)
    last.awaitTermination()
    assert(numbers(reader.load(output)) === (0 until 10 * Rows))
    assert(numbers(spark.read.parquet(output)) === (0 until 10 * Rows))
  }
}
