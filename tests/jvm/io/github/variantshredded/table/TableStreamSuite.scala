package io.github.variantshredded.table

import java.nio.file.Files

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.OwnFileSystem
import io.github.variantshredded.testing.TableSuite
import org.apache.hadoop.mapreduce.JobContext
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.ManifestFileCommitProtocol
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}

/** Commits a batch and then fails. */
class LateFailure(jobId: String, path: String) extends ManifestFileCommitProtocol(jobId, path) {
  override def commitJob(job: JobContext, messages: Seq[TaskCommitMessage]): Unit = {
    super.commitJob(job, messages)
    throw new java.io.IOException("late")
  }
}

/** `writeStream.toTable`. */
class TableStreamSuite extends TableSuite {

  private def source(): String = {
    val path = newPath()
    rows(0, 4).write.parquet(path)
    path
  }

  private def stream(from: String, columns: String*) = {
    val read = spark.readStream.schema("n INT, p INT, v VARIANT").parquet(from)
    val selected = if (columns.isEmpty) read else read.selectExpr(columns: _*)
    selected.writeStream
      .format("variant-shredded")
      .trigger(Trigger.AvailableNow())
  }

  /** Writes the rows of a table that are new since the last call. */
  private def copy(table: String, to: String, checkpoint: String): Unit =
    writeStream(spark.readStream.table(table), to, checkpoint)

  test("rows are added once, also when the query is started again") {
    withTable { t =>
      val (from, checkpoint) = (source(), newPath())
      def run(): Unit = {
        val query =
          stream(from).partitionBy("p").option("checkpointLocation", checkpoint).toTable(t)
        query.awaitTermination()
      }
      run()
      assert(numbers(spark.table(t)) === (0 until 4))
      assert(spark.table(t).columns === Array("n", "v", "p"))
      run()
      assert(numbers(spark.table(t)) === (0 until 4))
      rows(4, 6).write.mode("append").parquet(from)
      run()
      assert(numbers(spark.table(t)) === (0 until 6))
      // The checkpoint has lost its last commit: the batch is planned again, and not written.
      Files.list(java.nio.file.Path.of(checkpoint, "commits")).forEach { file =>
        if (file.getFileName.toString.stripPrefix(".").startsWith("1")) Files.delete(file)
      }
      run()
      assert(numbers(spark.table(t)) === (0 until 6))
    }
  }

  test("a stream to a table has the settings of its session, not of the active one") {
    withTable { t =>
      val session = OwnFileSystem.session(spark)
      session.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p) " +
          s"LOCATION '${OwnFileSystem.Scheme}:${newPath()}'"
      )
      try {
        val (from, checkpoint) = (source(), newPath())
        Seq(0 until 4, 0 until 6).foreach { expected =>
          session.readStream
            .schema("n INT, p INT, v VARIANT")
            .parquet(from)
            .select("n", "v", "p")
            .writeStream
            .format("variant-shredded")
            .trigger(Trigger.AvailableNow())
            .option("checkpointLocation", checkpoint)
            .toTable(t)
            .awaitTermination()
          assert(SparkSession.active === spark)
          assert(numbers(session.table(t)) === expected)
          rows(4, 6).write.mode("append").parquet(from)
        }
      } finally session.sql(s"DROP TABLE $t"): Unit
    }
  }

  test(
    "a table without partitions that a stream wrote and that was renamed is not taken for empty"
  ) {
    withTable { t =>
      withTable { renamed =>
        stream(source()).option("checkpointLocation", newPath()).toTable(t).awaitTermination()
        spark.sql(s"ALTER TABLE $t RENAME TO $renamed")
        val path = directory(renamed).toString
        val schema = spark.table(renamed).schema
        def byPath = reader.schema(schema).load(path)
        Seq(() => spark.table(renamed), () => byPath, () => reader.load(path)).foreach { moved =>
          val error = intercept[VariantShreddedException](moved().collect())
          assert(error.getMessage.contains("A directory that was moved"), error)
        }
        // Spark deletes the files of its own formats before it reads the rows that replace them.
        val target = newPath()
        spark.range(2).write.parquet(target)
        val error = intercept[VariantShreddedException] {
          spark.table(renamed).select("n").write.mode("overwrite").parquet(target)
        }
        assert(error.getMessage.contains("A directory that was moved"), error)
        assert(spark.read.parquet(target).count() === 2)
        assert(numbers(reader.load(s"$path/*")) === (0 until 4))
        spark.sql(s"ALTER TABLE $renamed RENAME TO $t")
        assert(numbers(spark.table(t)) === (0 until 4))
      }
    }
  }

  test("a stream that reads a table that a stream wrote and that was renamed ends with an error") {
    withTable { t =>
      withTable { renamed =>
        stream(source()).option("checkpointLocation", newPath()).toTable(t).awaitTermination()
        val (to, checkpoint) = (newPath(), newPath())
        copy(t, to, checkpoint)
        spark.sql(s"ALTER TABLE $t RENAME TO $renamed")
        val path = directory(renamed).toString
        def byPath = spark.readStream.format("variant-shredded").schema("n INT, v VARIANT")
        Seq(() => spark.readStream.table(renamed), () => byPath.load(path)).foreach { moved =>
          val error = intercept[StreamingQueryException] {
            writeStream(moved(), newPath(), newPath())
          }
          assert(error.getMessage.contains("A directory that was moved"), error)
        }
        spark.sql(s"ALTER TABLE $renamed RENAME TO $t")
        copy(t, to, checkpoint)
        assert(numbers(reader.load(to)) === (0 until 4))
      }
    }
  }

  test("a stream does not add rows to a table that was renamed, whose log names other files") {
    withTable { t =>
      withTable { renamed =>
        val (from, checkpoint) = (source(), newPath())
        def run(table: String): Unit =
          stream(from).option("checkpointLocation", checkpoint).toTable(table).awaitTermination()
        run(t)
        spark.sql(s"ALTER TABLE $t RENAME TO $renamed")
        rows(4, 6).write.mode("append").parquet(from)
        val error = intercept[StreamingQueryException](run(renamed))
        assert(error.getMessage.contains("A directory that was moved"), error)
        spark.sql(s"ALTER TABLE $renamed RENAME TO $t")
        run(t)
        assert(numbers(spark.table(t)) === (0 until 6))
      }
    }
  }

  test("readStream.table: rows that batches add, with options, by name and by path") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p)"
      )
      def add(from: Int): Unit = rows(from, from + 3).select("n", "v", "p").write.insertInto(t)
      val (to, checkpoint) = (newPath(), newPath())
      def run(name: String): Seq[Long] = {
        val query = spark.readStream
          .option("maxFilesPerTrigger", "3")
          .table(name)
          .where("v:n::int >= 0")
          .writeStream
          .format("variant-shredded")
          .option("checkpointLocation", checkpoint)
          .trigger(Trigger.AvailableNow())
          .start(to)
        query.awaitTermination()
        query.recentProgress.map(_.numInputRows).filter(_ > 0).toSeq
      }
      add(0)
      add(3)
      assert(run(t) === Seq(3, 3))
      assert(run(t) === Nil)
      add(6)
      // The same directory, so the query goes on.
      assert(run(s"variant_shredded.`${directory(t)}`") === Seq(3))
      assert(numbers(reader.load(to)) === (0 until 9))
      assert(
        reader.load(to).where("p != n % 3").count() === 0 && spark.table(t).count() === 9
      )
    }
  }

  test("readStream.table: a location with the characters of a pattern is no pattern") {
    withTable { t =>
      val location = s"${newPath()}/[ab]{c,d}*"
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded " +
          s"PARTITIONED BY (p) LOCATION '$location'"
      )
      rows(0, 4).select("n", "v", "p").write.insertInto(t)
      assert(numbers(spark.table(t)) === (0 until 4))
      val (to, checkpoint) = (newPath(), newPath())
      copy(t, to, checkpoint)
      assert(numbers(reader.load(to)) === (0 until 4))
      rows(4, 6).select("n", "v", "p").write.insertInto(t)
      copy(t, to, checkpoint)
      assert(numbers(reader.load(to)) === (0 until 6))
    }
  }

  test(
    "rows of a partition that was renamed come again, a partition that was dropped is not read"
  ) {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p)"
      )
      rows(0, 6).select("n", "v", "p").write.insertInto(t)
      val (to, checkpoint) = (newPath(), newPath())
      def run(): Seq[Int] = {
        copy(t, to, checkpoint)
        numbers(reader.load(to))
      }
      spark.sql(s"ALTER TABLE $t DROP PARTITION (p = 0)")
      assert(run() === Seq(1, 2, 4, 5))
      spark.sql(s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)")
      assert(run() === Seq(1, 1, 2, 4, 4, 5))
      assert(reader.load(to).where("p = 7").count() === 2)
    }
  }

  test("a checkpoint without its log of files is refused: new files would be skipped") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded")
      val (to, checkpoint) = (newPath(), newPath())
      def run(): Unit = copy(t, to, checkpoint)
      (0 until 3).foreach { i =>
        rows(i, i + 1).select("n", "v", "p").write.insertInto(t)
        run()
      }
      val log = java.nio.file.Path.of(checkpoint, "sources")
      Files.walk(log).sorted(java.util.Comparator.reverseOrder()).forEach(Files.delete(_))
      rows(3, 4).select("n", "v", "p").write.insertInto(t)
      val e = intercept[StreamingQueryException](run())
      assert(e.getMessage.contains("STREAM_SOURCE_LOG_MISSING"), e.getMessage)
      assert(numbers(reader.load(to)) === (0 until 3))
    }
  }

  test("a commit that fails after the batch has been added to the log") {
    withTable { t =>
      val (from, checkpoint) = (source(), newPath())
      def run(): Unit =
        stream(from).option("checkpointLocation", checkpoint).toTable(t).awaitTermination()
      val protocol = "spark.sql.streaming.commitProtocolClass" -> classOf[LateFailure].getName
      withConf(protocol)(intercept[StreamingQueryException](run()))
      assert(numbers(spark.table(t)) === (0 until 4))
      run()
      assert(numbers(spark.table(t)) === (0 until 4))
    }
  }

  Seq(Nil, Seq("p")).foreach { partitionBy =>
    test(s"a checkpoint in the directory of the table, partitioned by $partitionBy") {
      withTable { t =>
        val from = source()
        val to = directory(t).toString
        def run(checkpoint: String, columns: String*): Unit = stream(from, columns: _*)
          .partitionBy(partitionBy: _*)
          .option("checkpointLocation", s"$to/$checkpoint")
          .toTable(t)
          .awaitTermination()
        run("checkpoint")
        rows(4, 6).write.mode("append").parquet(from)
        run("checkpoint")
        assert(numbers(spark.table(t)) === (0 until 6))
        // After an overwrite, the checkpoint of a new query is beside files that readers return.
        val columns = spark.table(t).columns.toSeq
        rows(0, 3).selectExpr(columns: _*).write.mode("overwrite").insertInto(t)
        val error = intercept[StreamingQueryException](run("other", columns: _*))
        assert(error.getMessage.contains("which has files that no stream wrote"), error)
      }
    }
  }

  test("a checkpoint in the directory of a table whose readers look into all directories") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded " +
          "OPTIONS (recursiveFileLookup 'true')"
      )
      val error = intercept[StreamingQueryException] {
        stream(source(), "n", "v")
          .option("checkpointLocation", directory(t).resolve("checkpoint").toString)
          .toTable(t)
          .awaitTermination()
      }
      assert(error.getMessage.contains("which has files that no stream wrote"), error)
    }
  }

  test("Hadoop's algorithm 2, by which streams do not commit") {
    withConf("mapreduce.fileoutputcommitter.algorithm.version" -> "2") {
      withTable { t =>
        stream(source()).option("checkpointLocation", newPath()).toTable(t).awaitTermination()
        assert(numbers(spark.table(t)) === (0 until 4))
        val to = newPath()
        stream(source()).option("checkpointLocation", newPath()).start(to).awaitTermination()
        assert(numbers(reader.load(to)) === (0 until 4))
      }
    }
  }

  test("a table of other columns, or with rows of batches, is refused") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded")
      def failure(columns: String*): String = intercept[StreamingQueryException] {
        stream(source(), columns: _*)
          .option("checkpointLocation", newPath())
          .toTable(t)
          .awaitTermination()
      }.getMessage
      val columns = failure("n", "v", "p")
      assert(columns.contains("Select the columns of the table"), columns)
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'))")
      val rows = failure("n", "v")
      assert(rows.contains("which has files that no stream wrote"), rows)
      assert(numbers(spark.table(t)) === Seq(1))
    }
  }

  test("a query with the path of another directory than the table's is refused") {
    withTable { t =>
      val (location, from) = (newPath(), source())
      def run(path: String): Unit = stream(from)
        .option("checkpointLocation", newPath())
        .option("path", path)
        .toTable(t)
        .awaitTermination()
      run(location)
      assert(numbers(reader.load(location)) === (0 until 4))
      val error = intercept[StreamingQueryException](run(newPath())).getCause
      assert(error.getMessage.contains(s"expected the location of the table, 'file:$location'"))
    }
    withTable { t =>
      stream(source())
        .option("checkpointLocation", newPath())
        .option("path", s"below_$t")
        .toTable(t)
        .awaitTermination()
      assert(numbers(spark.table(t)) === (0 until 4))
    }
  }
}
