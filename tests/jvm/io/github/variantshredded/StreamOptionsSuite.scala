package io.github.variantshredded

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.Causes
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import org.apache.spark.sql.types.StructType

/** The options of Spark's file streams: the same batches as those of Spark's Parquet source. */
class StreamOptionsSuite extends PathSuite {

  private val Formats = Seq("variant-shredded", "parquet")

  /** Writes a file with the rows from `from` on, last changed so many seconds after a fixed time. */
  private def file(directory: String, from: Int, until: Int, second: Int): Path = {
    val written = onlyFile(this.written(rows(from, until)))
    Files.createDirectories(Path.of(directory))
    val target = Path.of(directory, f"part-$from%03d.parquet")
    Files.copy(written, target)
    Files.setLastModifiedTime(target, FileTime.fromMillis(1700000000000L + second * 1000L))
  }

  private def stream(format: String, path: String, options: (String, String)*): DataFrame =
    spark.readStream
      .format(format)
      .schema("n INT, p INT, v VARIANT")
      .options(options.toMap)
      .load(path)

  /** The batches that a query has seen since it was started. */
  private final class Seen(df: DataFrame, checkpoint: String, trigger: Trigger) {
    private val batches = mutable.Buffer.empty[Seq[Int]]
    private val collect: (DataFrame, Long) => Unit = (batch, _) => {
      val found = batch.selectExpr("n", "v:n::int").collect().toSeq
      assert(found.forall(row => row.getInt(0) == row.getInt(1)))
      batches.synchronized { batches += found.map(_.getInt(0)).sorted }
      ()
    }
    val query: StreamingQuery = df.writeStream
      .foreachBatch(collect)
      .option("checkpointLocation", checkpoint)
      .trigger(trigger)
      .start()

    def all: Seq[Seq[Int]] = batches.synchronized(batches.toList)
  }

  private def availableNow(df: DataFrame, checkpoint: String): Seq[Seq[Int]] =
    run(df, checkpoint, Trigger.AvailableNow())

  private def run(df: DataFrame, checkpoint: String, trigger: Trigger): Seq[Seq[Int]] = {
    val seen = new Seen(df, checkpoint, trigger)
    seen.query.awaitTermination()
    seen.all
  }

  /** Runs `body`, to which a format is given, for both formats; the answers have to be the same. */
  private def same[T](body: String => T): T = {
    val ours = body(Formats.head)
    assert(ours === body(Formats.last))
    ours
  }

  private def fourFiles(): String = {
    val path = newPath()
    file(path, 10, 15, second = 20)
    file(path, 0, 5, second = 40)
    file(path, 30, 35, second = 10)
    file(path, 20, 25, second = 30)
    path
  }

  private def five(from: Int*): Seq[Seq[Int]] = from.map(start => start until start + 5)

  test("files come in the order of their times, or latestFirst") {
    val path = fourFiles()
    def batches(options: (String, String)*) = same { format =>
      availableNow(stream(format, path, ("maxFilesPerTrigger" -> "1") +: options: _*), newPath())
    }
    assert(batches() === five(30, 10, 20, 0))
    assert(batches("latestFirst" -> "true") === five(0, 20, 10, 30))
  }

  test("maxFilesPerTrigger and maxBytesPerTrigger") {
    val path = fourFiles()
    val size = Files.size(Path.of(path, "part-000.parquet"))
    def batches(options: (String, String)*) =
      same(format => availableNow(stream(format, path, options: _*), newPath()))
    assert(batches("maxFilesPerTrigger" -> "3").map(_.size) === Seq(15, 5))
    assert(batches("maxBytesPerTrigger" -> "1").map(_.size) === Seq(5, 5, 5, 5))
    assert(batches("maxBytesPerTrigger" -> s"${size * 5 / 2}").map(_.size) === Seq(10, 10))
    assert(batches().map(_.size) === Seq(20))
  }

  test("Trigger.Once reads all files at once") {
    val path = fourFiles()
    val once = Trigger.Once(): @annotation.nowarn("cat=deprecation")
    Seq("maxFilesPerTrigger", "maxBytesPerTrigger").foreach { option =>
      val batches = same(format => run(stream(format, path, option -> "1"), newPath(), once))
      assert(batches.map(_.size) === Seq(20))
    }
  }

  test("Trigger.AvailableNow leaves files that come later to the next run") {
    val answers = same { format =>
      val (path, checkpoint) = (fourFiles(), newPath())
      val first = availableNow(stream(format, path, "maxFilesPerTrigger" -> "3"), checkpoint)
      file(path, 40, 45, second = 5)
      file(path, 50, 55, second = 50)
      // A file whose time is before that of files that were read is new as well.
      val second = availableNow(stream(format, path, "maxFilesPerTrigger" -> "3"), checkpoint)
      val third = availableNow(stream(format, path, "maxFilesPerTrigger" -> "3"), checkpoint)
      (first.flatten.size, second, third)
    }
    assert(answers === ((20, Seq((40 until 45) ++ (50 until 55)), Nil)))
  }

  test("maxFileAge passes over files that are too old, not in the first batch") {
    val answers = same { format =>
      val (path, checkpoint) = (fourFiles(), newPath())
      def next = availableNow(stream(format, path, "maxFileAge" -> "15s"), checkpoint).flatten
      val first = next
      file(path, 50, 55, second = 24)
      file(path, 60, 65, second = 26)
      (first.size, next, availableNow(stream(format, path), checkpoint))
    }
    assert(answers === ((20, 60 until 65, Seq(50 until 55))))
  }

  test("a running query keeps files that were more than a batch, or lists them again") {
    Seq("0" -> "0.2", "10000" -> "0", "2" -> "0.2", "10000" -> "1").foreach { case (most, ratio) =>
      val path = fourFiles()
      val options = Seq(
        "maxFilesPerTrigger" -> "1",
        "maxCachedFiles" -> most,
        "discardCachedInputRatio" -> ratio
      )
      val batches = same { format =>
        val seen =
          new Seen(stream(format, path, options: _*), newPath(), Trigger.ProcessingTime(0))
        try {
          seen.query.processAllAvailable()
          seen.all
        } finally seen.query.stop()
      }
      assert(batches === five(30, 10, 20, 0))
    }
  }

  test("fileNameOnly: a file of the same name in another directory is not new") {
    val answers = same { format =>
      val (path, checkpoint) = (newPath(), newPath())
      def next(options: (String, String)*) =
        availableNow(stream(format, s"$path/*", options: _*), checkpoint).flatten
      file(s"$path/a", 0, 5, second = 1)
      val first = next("fileNameOnly" -> "true")
      file(s"$path/b", 0, 5, second = 2)
      (first, next("fileNameOnly" -> "true"), next())
    }
    assert(answers === ((0 until 5, Nil, 0 until 5)))
  }

  test("a query that starts again with another pathGlobFilter leaves files of its batch out") {
    val answers = same { format =>
      val (path, checkpoint) = (newPath(), newPath())
      file(path, 0, 5, second = 1)
      file(path, 10, 15, second = 2)
      val first = availableNow(stream(format, path), checkpoint)
      // As if the process had been killed before it ended the batch.
      Files.delete(Path.of(checkpoint, "commits", "0"))
      Files.deleteIfExists(Path.of(checkpoint, "commits", ".0.crc"))
      val second = availableNow(stream(format, path, "pathGlobFilter" -> "*-01*"), checkpoint)
      (first.map(_.size), second)
    }
    assert(answers === ((Seq(10), Seq(10 until 15))))
  }

  test("cleanSource keeps the files of a batch that another pathGlobFilter leaves out") {
    val (path, checkpoint) = (newPath(), newPath())
    def batches(options: (String, String)*): Seq[Seq[Int]] =
      availableNow(stream("variant-shredded", path, options: _*), checkpoint)
    withConf("spark.sql.streaming.fileSource.cleaner.numThreads" -> "0") {
      file(path, 0, 5, second = 1)
      file(path, 10, 15, second = 2)
      batches()
      Files.delete(Path.of(checkpoint, "commits", "0"))
      Files.deleteIfExists(Path.of(checkpoint, "commits", ".0.crc"))
      val options = Seq("pathGlobFilter" -> "*-0[13]*", "cleanSource" -> "delete")
      assert(batches(options: _*) === Seq(10 until 15))
      file(path, 30, 35, second = 3)
      assert(batches(options: _*) === Seq(30 until 35))
      assert(dataFiles(path) === Seq("part-000.parquet", "part-030.parquet"))
    }
  }

  test("cleanSource deletes or archives the files of a batch when the next one is planned") {
    Seq("delete", "archive").foreach { mode =>
      val answers = same { format =>
        val (path, checkpoint, archive) = (newPath(), newPath(), newPath())
        val options =
          Seq("cleanSource" -> mode) ++
            (if (mode == "archive") Seq("sourceArchiveDir" -> archive) else Nil)
        def next = availableNow(stream(format, path, options: _*), checkpoint).flatten
        withConf("spark.sql.streaming.fileSource.cleaner.numThreads" -> "0") {
          file(path, 0, 5, second = 1)
          file(path, 10, 15, second = 2)
          val first = next
          val kept = dataFiles(path)
          file(path, 20, 25, second = 3)
          val second = next
          val archived =
            if (mode == "archive") dataFiles(s"$archive$path") else Nil
          (first, kept, second, dataFiles(path), archived)
        }
      }
      val old = Seq("part-000.parquet", "part-010.parquet")
      val archived = if (mode == "archive") old else Nil
      assert(
        answers ===
          ((
            (0 until 5) ++ (10 until 15),
            old,
            20 until 25,
            Seq("part-020.parquet"),
            archived
          )),
        mode
      )
    }
  }

  test("cleanSource removes the files of all entries of the log that became one batch") {
    val (path, checkpoint) = (newPath(), newPath())
    def next =
      availableNow(stream(Formats.head, path, "cleanSource" -> "delete"), checkpoint).flatten
    withConf("spark.sql.streaming.fileSource.cleaner.numThreads" -> "0") {
      file(path, 0, 5, second = 1)
      assert(next === (0 until 5))
      file(path, 10, 15, second = 2)
      assert(next === (10 until 15))
      // As if the process had been killed after it had written the entry, before it wrote the offset.
      Seq("offsets", "commits").foreach { log =>
        Files.delete(Path.of(checkpoint, log, "1"))
        Files.deleteIfExists(Path.of(checkpoint, log, ".1.crc"))
      }
      file(path, 20, 25, second = 3)
      val df = stream(Formats.head, path, "cleanSource" -> "delete")
      val seen = new Seen(df, checkpoint, Trigger.ProcessingTime(0))
      try {
        seen.query.processAllAvailable()
        file(path, 30, 35, second = 4)
        seen.query.processAllAvailable()
        assert(seen.all === Seq((10 until 15) ++ (20 until 25), 30 until 35))
        assert(dataFiles(path) === Seq("part-030.parquet"))
      } finally seen.query.stop()
    }
  }

  test("cleanSource is refused for a directory that a stream has written") {
    val (from, between) = (fourFiles(), newPath())
    writeStream(stream(Formats.head, from), between, newPath(), format = Formats.head)
    val error = intercept[StreamingQueryException](
      availableNow(stream(Formats.head, between, "cleanSource" -> "delete"), newPath())
    )
    assert(error.getMessage.contains("cleanSource for the directory"), error.getMessage)
  }

  test("patterns of paths, with partitions only below a basePath") {
    val path = newPath()
    writer(rows(0, 9)).partitionBy("p").save(path)
    assert(Files.isDirectory(Path.of(path, "_variant_shredded_commits")))
    // Spark's Parquet source fails with an assertion if a pattern leaves partitions out.
    def found(pattern: String, options: (String, String)*): Set[Row] = {
      val to = newPath()
      writeStream(stream(Formats.head, pattern, options: _*), to, newPath(), format = "parquet")
      if (dataFiles(to).isEmpty) Set.empty
      else spark.read.parquet(to).select("n", "p").collect().toSet
    }
    val all = (0 until 9).map(n => Row(n, null)).toSet
    assert(found(s"$path/*") === all)
    assert(found(s"$path/*/*") === all)
    assert(found(s"$path/p=[12]") === (0 until 9).filter(_ % 3 > 0).map(n => Row(n, null)).toSet)
    assert(
      found(s"$path/p=1", "basePath" -> path) === Set(1, 4, 7).map(n => Row(n, 1))
    )
    assert(found(path, "pathGlobFilter" -> "*.nothing") === Set.empty)
  }

  test("files of a pattern come with new directories") {
    val path = newPath()
    Files.createDirectories(Path.of(path))
    val batches = same { format =>
      val root = newPath()
      Files.createDirectories(Path.of(root))
      val checkpoint = newPath()
      def next = availableNow(stream(format, s"$root/*/day"), checkpoint).flatten
      val none = next
      file(s"$root/a/day", 0, 5, second = 1)
      val first = next
      file(s"$root/a/day", 10, 15, second = 2)
      file(s"$root/b/day", 20, 25, second = 3)
      file(s"$root/b/night", 30, 35, second = 3)
      (none, first, next)
    }
    assert(batches === ((Nil, 0 until 5, (10 until 15) ++ (20 until 25))))
  }

  test("wrong values, and options that streams do not have, are refused as by Spark's source") {
    val path = fourFiles()
    Seq(
      Seq("maxFilesPerTrigger" -> "0"),
      Seq("maxFilesPerTrigger" -> "some"),
      Seq("maxBytesPerTrigger" -> "-1"),
      Seq("maxFilesPerTrigger" -> "1", "maxBytesPerTrigger" -> "1"),
      Seq("maxCachedFiles" -> "-1"),
      Seq("discardCachedInputRatio" -> "2"),
      Seq("latestFirst" -> "perhaps"),
      Seq("fileNameOnly" -> "perhaps"),
      Seq("cleanSource" -> "burn"),
      Seq("cleanSource" -> "archive"),
      Seq("modifiedAfter" -> "2020-01-01T00:00:00"),
      Seq("modifiedBefore" -> "2020-01-01T00:00:00")
    ).foreach { options =>
      val message = same { format =>
        val error =
          intercept[Exception](availableNow(stream(format, path, options: _*), newPath()))
        Causes.of(error).collectFirst { case e: IllegalArgumentException => e.getMessage }
      }
      assert(message.isDefined, options)
    }
    val misspelt = intercept[Exception](stream(Formats.head, path, "maxFilePerTriger" -> "1"))
    assert(misspelt.getMessage.contains("maxFilePerTriger"), misspelt.getMessage)
  }

  test("a directory that is not there, and a missing path, are errors") {
    val missing = newPath()
    same { format =>
      intercept[AnalysisException](stream(format, missing)).getCondition
    }
    intercept[Exception](spark.readStream.format(Formats.head).schema("n INT").load())
  }

  test("values of partition columns that need escaping, and binary values") {
    val path = newPath()
    val values = Seq("a b", "a/b", "100%", "x=y", "ü:?*", "")
    val df = spark
      .createDataFrame(values.map(Row(_)).asJava, StructType.fromDDL("s STRING"))
      .selectExpr(
        "length(s) AS n",
        "parse_json(concat('{\"n\": ', length(s), '}')) AS v",
        "s",
        "cast(s AS BINARY) AS b"
      )
    writer(df).partitionBy("s", "b").save(path)
    val to = newPath()
    spark.readStream
      .format(Formats.head)
      .schema("n INT, v VARIANT, s STRING, b BINARY")
      .load(path)
      .selectExpr("v:n::int AS n", "s", "cast(b AS STRING) AS b")
      .writeStream
      .format("parquet")
      .option("checkpointLocation", newPath())
      .trigger(Trigger.AvailableNow())
      .start(to)
      .awaitTermination()
    val batch = reader
      .schema("n INT, v VARIANT, s STRING, b BINARY")
      .load(path)
      .selectExpr("v:n::int AS n", "s", "cast(b AS STRING) AS b")
    assert(spark.read.parquet(to).collect().toSet === batch.collect().toSet)
    assert(spark.read.parquet(to).count() === values.size)
  }
}
