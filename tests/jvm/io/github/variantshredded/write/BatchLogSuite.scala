package io.github.variantshredded.write

import io.github.variantshredded.SessionSetup
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{FaultFileSystem, Faults, Recording}
import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.execution.streaming.sinks.{FileStreamSinkLog, SinkFileStatus}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** What a batch of a stream reads of the log of the batches before. */
class BatchLogSuite extends PathSuite {

  FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)

  private val session = SessionSetup.classicSession(spark)

  private def file(root: Path, number: Int): FileStatus =
    new FileStatus(9, false, 1, 9, number.toLong, new Path(root, s"p=1/part-$number.parquet"))

  /** Writes a log with the numbers of the files of each batch, compacted after every third. */
  private def log(root: Path, batches: Seq[Int]*): Unit =
    withConf("spark.sql.streaming.fileSink.log.compactInterval" -> "3") {
      val directory = new Path(root, "_spark_metadata").toString
      val log = new FileStreamSinkLog(FileStreamSinkLog.VERSION, session, directory)
      batches.zipWithIndex.foreach { case (numbers, id) =>
        log.add(id.toLong, numbers.map(number => SinkFileStatus(file(root, number))).toArray)
      }
    }

  private def open(root: Path): BatchLog =
    BatchLog.open(
      session,
      root,
      session.sessionState.newHadoopConf(),
      CaseInsensitiveStringMap.empty
    )

  private def newest(root: Path): Seq[Int] =
    open(root).newestFiles.map(_.getModificationTime.toInt).sorted

  /** The entries that `body` opens. */
  private def opened(path: String)(body: => Unit): Seq[String] = {
    val recording = new Recording
    Faults.watched(path, recording)(body)
    recording.operations.filter(_.kind == "open").map(_.path.getName)
  }

  test("of a log with many files, only the newest are kept, at most as many as are looked at") {
    val root = new Path(s"file:${newPath()}")
    log(root, 0 until 1000, 3000 until 4000, 1000 until 3000)
    assert(newest(root) === (3990 until 4000))
    assert(open(root).partitionColumns === Some(Seq("p")))
  }

  test("the last entry with files is read once, and no entry before it") {
    Seq(
      Seq(Seq(1, 2), Seq(3)) -> Seq("1"),
      Seq(Seq(1, 2), Nil) -> Seq("1", "0"),
      Seq(Seq(1), Seq(2), Seq(3), Seq(4)) -> Seq("3"),
      Seq(Seq(1), Seq(2), Nil, Nil, Nil) -> Seq("4", "3", "2.compact"),
      Seq(Nil, Nil) -> Seq("1", "0"),
      Nil -> Nil
    ).foreach { case (batches, entries) =>
      val path = newPath()
      val root = new Path(s"fault:$path")
      log(root, batches: _*)
      assert(opened(path)(newest(root): Unit) === entries, batches)
      assert(opened(path)(open(root).partitionColumns: Unit) === entries, batches)
      val isCompact = entries.exists(_.endsWith("compact"))
      val last = batches.filter(_.nonEmpty).lastOption.getOrElse(Nil)
      assert(newest(root) === (if (isCompact) batches.flatten else last), batches)
    }
  }

  test("files of another directory or another file system are refused") {
    def refused(read: => Any): Unit = {
      val error = intercept[VariantShreddedException](read)
      assert(error.condition === "UNSUPPORTED_FEATURE")
      assert(error.getMessage.contains("A directory that was moved"))
    }
    Seq[String => String](path => s"file:${path}2", path => s"fault:$path").foreach { of =>
      val path = newPath()
      val root = new Path(s"file:$path")
      val directory = new Path(root, "_spark_metadata").toString
      val written = new FileStreamSinkLog(FileStreamSinkLog.VERSION, session, directory)
      assert(written.add(0, Array(SinkFileStatus(file(new Path(of(path)), 1)))))
      refused(open(root).newestFiles)
      if (of(path).endsWith("2")) refused(open(root).partitionColumns)
      else assert(open(root).partitionColumns === Some(Seq("p")))
    }
  }
}
