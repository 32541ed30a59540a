package io.github.variantshredded.write

import java.io.FileNotFoundException
import java.nio.file.{Files, Path}

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.util.{Try, Using}

import io.github.variantshredded.commit.DeadCommit
import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}
import org.apache.spark.SparkException
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.sql.functions.{col, lit, raise_error, when}

/** Jobs that write to one directory at the same time end as if one came after the other. */
class ConcurrentWritesSuite extends SparkSuite with TemporaryFolder {

  private val format = "variant-shredded"
  private var paths = 0

  private def newPath(): Path = {
    paths += 1
    folder.resolve(s"table-$paths")
  }

  private def rows(numbers: Int*): DataFrame =
    spark
      .createDataset(numbers)(org.apache.spark.sql.Encoders.scalaInt)
      .toDF("n")
      .selectExpr("n", "n % 2 as p", "parse_json(concat('{\"a\":', n, '}')) as v")

  private def gated(gate: String, numbers: Int*): DataFrame = {
    Gate.close(gate)
    rows(numbers: _*).withColumn("n", Gate.behind(gate, col("n")))
  }

  private def failing(gate: String, number: Int): DataFrame =
    gated(gate, number).withColumn(
      "n",
      when(lit(true), raise_error(lit("stop")).cast("int") + col("n"))
    )

  private def save(df: DataFrame, path: Path, mode: String, options: (String, String)*): Unit =
    df.write.format(format).options(options.toMap).mode(mode).save(path.toString)

  private def partitioned(df: DataFrame, path: Path, mode: String, options: (String, String)*) =
    df.write
      .format(format)
      .options(options.toMap)
      .mode(mode)
      .partitionBy("p")
      .save(path.toString)

  private def content(path: Path): Seq[Int] =
    spark.read
      .format(format)
      .load(path.toString)
      .selectExpr("n", "v:a::int")
      .collect()
      .map { row =>
        assert(row.getInt(0) === row.getInt(1))
        row.getInt(0)
      }
      .toSeq
      .sorted

  private def byParquet(path: Path): Seq[Int] =
    spark.read.parquet(path.toString).select("n").collect().map(_.getInt(0)).toSeq.sorted

  private def both(path: Path): Seq[Int] = {
    val found = content(path)
    assert(byParquet(path) === found)
    found
  }

  private def await[T](future: Future[T]): T = Await.result(future, 2.minutes)

  Seq("append", "overwrite", "errorifexists").foreach { mode =>
    test(s"$mode: a job that fails deletes nothing of another job, finished or at work") {
      val path = newPath()
      val fails = failing("fails", 1)
      val works = gated("works", 2)
      val first = Future(save(fails, path, mode))
      Gate.awaitReached("fails")
      val second = Future(save(works, path, "append"))
      Gate.awaitReached("works")
      save(rows(3), path, "append")
      Gate.open("fails")
      intercept[Exception](await(first))
      assert(both(path) === Seq(3))
      Gate.open("works")
      await(second)
      assert(both(path) === Seq(2, 3))
    }
  }

  test("create table as select by path: a failure deletes nothing of another job") {
    val path = newPath()
    failing("ctas", 1).createOrReplaceTempView("failing_rows")
    val first =
      Future(spark.sql(s"CREATE TABLE variant_shredded.`$path` AS SELECT * FROM failing_rows"))
    Gate.awaitReached("ctas")
    save(rows(3), path, "append")
    Gate.open("ctas")
    intercept[Exception](await(first))
    assert(both(path) === Seq(3))
  }

  test("a failed save leaves no directory that it has made") {
    val path = newPath()
    Gate.close("alone")
    Gate.open("alone")
    val df = rows(1).withColumn("n", raise_error(lit("stop")).cast("int"))
    intercept[Exception](save(df.coalesce(1), path, "errorifexists"))
    assert(!Files.exists(path))
  }

  test("an overwrite replaces what other jobs have committed since it began") {
    val path = newPath()
    save(rows(1), path, "append")
    val slow = gated("slow", 2)
    val first = Future(save(slow, path, "overwrite"))
    Gate.awaitReached("slow")
    save(rows(3), path, "overwrite")
    save(rows(4), path, "append")
    assert(both(path) === Seq(3, 4))
    Gate.open("slow")
    await(first)
    assert(both(path) === Seq(2))
  }

  test("an overwrite of partitions replaces what other jobs have committed to these") {
    val dynamic = "partitionOverwriteMode" -> "dynamic"
    val path = newPath()
    partitioned(rows(1, 2), path, "append")
    val slow = gated("slow", 3)
    val first = Future(partitioned(slow, path, "overwrite", dynamic))
    Gate.awaitReached("slow")
    partitioned(rows(5, 6), path, "overwrite", dynamic)
    partitioned(rows(7), path, "append")
    Gate.open("slow")
    await(first)
    assert(both(path) === Seq(3, 6))
  }

  private val algorithm2 = "mapreduce.fileoutputcommitter.algorithm.version" -> "2"

  test("algorithm 2: a job whose files were replaced before it commits fails as a whole") {
    val path = newPath()
    save(rows(0), path, "append")
    Gate.close("second")
    val slow = rows(1, 2)
      .repartition(2, col("n"))
      .withColumn("n", when(col("n") === 2, Gate.behind("second", col("n"))).otherwise(col("n")))
    val first = Future(save(slow, path, "append", algorithm2))
    Gate.awaitReached("second")
    val deadline = System.nanoTime + 60000000000L
    while (byParquet(path) !== Seq(0, 1)) {
      assert(System.nanoTime < deadline)
      Thread.sleep(20)
    }
    save(rows(3), path, "overwrite")
    Gate.open("second")
    val e = intercept[VariantShreddedException](await(first))
    assert(e.getCondition === "CONCURRENT_WRITE")
    assert(both(path) === Seq(3))
  }

  test("algorithm 2: a file that only a failed attempt of a task has written is not committed") {
    val path = newPath()
    val slow = rows(1, 2)
      .repartition(2, col("n"))
      .withColumn("n", when(col("n") === 2, Gate.behind("left", col("n"))).otherwise(col("n")))
    Seq("append" -> Set.empty[String], "overwrite" -> Set("p")).foreach { case (mode, columns) =>
      Gate.close("left")
      val first = Future {
        slow.write
          .format(format)
          .options(Map(algorithm2))
          .mode(mode)
          .partitionBy(columns.toSeq: _*)
          .save(path.toString)
      }
      Gate.awaitReached("left")
      val moved = awaitFile(path, if (columns.isEmpty) "glob:part-*" else "glob:p=1/part-*")
      val left = moved.getFileName.toString.replace("-c000", "-c001")
      val directory = if (columns.isEmpty) path else path.resolve("p=7")
      Files.createDirectories(directory)
      Files.copy(moved, directory.resolve(left))
      Gate.open("left")
      await(first)
      assert(both(path) === Seq(1, 2))
      assert(!Files.exists(path.resolve("p=7")))
    }
  }

  /** Waits for a file below `path`, and returns it. */
  private def awaitFile(path: Path, pattern: String): Path = {
    val matcher = path.getFileSystem.getPathMatcher(pattern)
    def found = Using.resource(Files.walk(path)) {
      _.filter(file => matcher.matches(path.relativize(file))).findFirst
    }
    val deadline = System.nanoTime + 60000000000L
    while (!Try(found.isPresent).getOrElse(false)) {
      assert(System.nanoTime < deadline)
      Thread.sleep(20)
    }
    found.get
  }

  private def withProtocol(protocol: Class[_])(body: => Unit): Unit = {
    spark.conf.set("spark.sql.sources.commitProtocolClass", protocol.getName)
    try body
    finally spark.conf.unset("spark.sql.sources.commitProtocolClass")
  }

  /** Appends two files, of which a task has committed one, while another job appends. */
  private def appendAround(path: Path, columns: String*): Future[Unit] = {
    Gate.close("second")
    val slow = rows(1, 2)
      .repartition(2, col("n"))
      .withColumn("n", when(col("n") === 2, Gate.behind("second", col("n"))).otherwise(col("n")))
    def append(df: DataFrame) =
      df.write.format(format).mode("append").partitionBy(columns: _*).save(path.toString)
    val first = Future(append(slow))
    Gate.awaitReached("second")
    val _ = awaitFile(path, "glob:_temporary/*/task_*")
    append(rows(3))
    Gate.open("second")
    first
  }

  Seq(Nil, Seq("p")).foreach { columns =>
    test(s"a job whose committer lost files of its tasks fails as a whole, by $columns") {
      val path = newPath()
      withProtocol(classOf[PlainCommitProtocol]) {
        val e = intercept[VariantShreddedException](await(appendAround(path, columns: _*)))
        assert(e.getCondition === "CONCURRENT_WRITE")
        assert(both(path) === Seq(3))
      }
    }

    test(s"a protocol that asks Hadoop's factories commits the job's files only, by $columns") {
      val path = newPath()
      withProtocol(classOf[FactoryCommitProtocol]) {
        await(appendAround(path, columns: _*))
        assert(both(path) === Seq(1, 2, 3))
        assert(!Files.exists(path.resolve("_temporary")))
      }
    }
  }

  test("algorithm 2: a job that fails before its commit leaves none of its files") {
    val path = newPath()
    val slow = gated("slow", 1)
    val first = Future(save(slow, path, "errorifexists", algorithm2))
    Gate.awaitReached("slow")
    save(rows(2), path, "append", algorithm2)
    Gate.open("slow")
    intercept[AnalysisException](await(first))
    assert(both(path) === Seq(2))
  }

  /** Runs `write` with rows that wait until `meanwhile` is done, and returns its error. */
  private def refused(write: DataFrame => Unit)(meanwhile: => Unit): VariantShreddedException = {
    val slow = gated("overtaken", 2)
    val first = Future(write(slow))
    Gate.awaitReached("overtaken")
    meanwhile
    Gate.open("overtaken")
    intercept[VariantShreddedException](await(first))
  }

  Seq(Nil, Seq(algorithm2)).foreach { options =>
    test(s"a job is refused if another one has partitioned the directory meanwhile, $options") {
      val path = newPath()
      val mixed =
        refused(partitioned(_, path, "append", options: _*))(save(rows(3), path, "append"))
      assert(mixed.getCondition === "PARTITIONING_MISMATCH")
      assert(both(path) === Seq(3))
      val other = newPath()
      val inverse =
        refused(save(_, other, "append", options: _*))(partitioned(rows(3), other, "append"))
      assert(inverse.getCondition === "PARTITIONING_MISMATCH")
      assert(both(other) === Seq(3))
      val before = newPath()
      partitioned(rows(1), before, "append")
      val dynamic = options :+ ("partitionOverwriteMode" -> "dynamic")
      Seq("append" -> options, "overwrite" -> dynamic).foreach { case (mode, all) =>
        val replaced =
          refused(partitioned(_, before, mode, all: _*))(save(rows(3), before, "overwrite"))
        assert(replaced.getCondition === "PARTITIONING_MISMATCH")
        assert(both(before) === Seq(3))
        partitioned(rows(1), before, "overwrite")
      }
    }
  }

  test("INSERT into a path is refused if another job has partitioned the directory meanwhile") {
    val path = newPath()
    save(rows(1), path, "append")
    val e = refused(_.writeTo(s"variant_shredded.`$path`").append()) {
      partitioned(rows(3), path, "overwrite")
    }
    assert(e.getCondition === "PARTITIONING_MISMATCH")
    assert(both(path) === Seq(3))
  }

  test("a job is refused if a column has become a Variant meanwhile") {
    val path = newPath()
    val e = refused(slow => save(slow.withColumn("v", lit("text")), path, "append"))(
      save(rows(3), path, "append")
    )
    assert(e.getCondition === "COLUMN_TYPE_MISMATCH")
    assert(both(path) === Seq(3))
  }

  Seq(false, true).foreach { isTable =>
    test(s"rows are refused if a stream has begun to write the directory, to a table: $isTable") {
      val (path, from) = (newPath(), newPath().toString)
      rows(3).write.parquet(from)
      if (isTable)
        spark.sql(
          s"CREATE TABLE t (n INT, p INT, v VARIANT) USING variant_shredded " +
            s"LOCATION '$path'"
        )
      try {
        val e = refused(save(_, path, "append")) {
          val stream = spark.readStream
            .schema("n INT, p INT, v VARIANT")
            .parquet(from)
            .writeStream
            .format(format)
            .option("checkpointLocation", newPath().toString)
            .trigger(org.apache.spark.sql.streaming.Trigger.AvailableNow())
          val query = if (isTable) stream.toTable("t") else stream.start(path.toString)
          query.awaitTermination()
        }
        assert(e.getMessage.contains("while it has the log of a streaming query"), e)
        assert(content(path) === Seq(3))
      } finally if (isTable) { val _ = spark.sql("DROP TABLE t") }
    }
  }

  /** A job to a new directory, overtaken by an append to it. */
  private def overtaken(path: Path, mode: String): Future[Unit] = {
    val slow = gated("slow", 1)
    val first = Future(save(slow, path, mode))
    Gate.awaitReached("slow")
    // The directory has been made by then, but a job that has nothing in it yet may still fail.
    save(rows(2), path, "append")
    Gate.open("slow")
    first
  }

  test("a directory that must be new is created once") {
    val path = newPath()
    val e = intercept[AnalysisException](await(overtaken(path, "errorifexists")))
    assert(e.getCondition === "PATH_ALREADY_EXISTS")
    assert(both(path) === Seq(2))
  }

  test("with the mode ignore, a job that finds a directory at its end writes nothing") {
    val path = newPath()
    await(overtaken(path, "ignore"))
    assert(both(path) === Seq(2))
    assert(!Files.exists(path.resolve("_temporary")))
  }

  test("overwrites and appends at the same time end in one of their serial orders") {
    val path = newPath()
    save(rows(0), path, "append")
    (1 to 10).foreach { round =>
      val base = round * 100
      val jobs = Seq(
        () => save(rows(base + 1, base + 2), path, "overwrite"),
        () => save(rows(base + 3, base + 4), path, "overwrite"),
        () => save(rows(base + 5, base + 6), path, "append"),
        () => save(rows(base + 7, base + 8), path, "append")
      )
      await(Future.sequence(jobs.map(job => Future(job()))))
      val found = both(path).map(_ - base).toSet
      val overwrites = Set(Set(1, 2), Set(3, 4)).filter(_.subsetOf(found))
      val appends = Set(Set(5, 6), Set(7, 8)).filter(_.subsetOf(found))
      assert(overwrites.size === 1, found)
      assert((overwrites ++ appends).flatten === found)
      assert(
        path.resolve("_variant_shredded_commits").toFile.list().count(!_.startsWith(".")) === 1
      )
    }
  }

  test("a reader sees each overwrite as a whole") {
    val path = newPath()
    save(rows(0, 1, 2, 3).repartition(4), path, "append")
    val writer = Future((1 to 15).foreach { round =>
      save(rows(Seq.tabulate(4)(_ + 10 * round): _*).repartition(4), path, "overwrite")
    })
    var looks = 0
    var seen = 0
    while (!writer.isCompleted) {
      // Files that are gone when they are to be read are an error, never fewer rows.
      try {
        val found = content(path)
        assert(found.size === 4 && found.map(_ / 10).distinct.size === 1, found)
        seen += 1
      } catch {
        case _: FileNotFoundException => () // met by the driver, which looks for the schema
        case e: SparkException => assert(e.getCondition === "FAILED_READ_FILE.FILE_NOT_EXIST")
      }
      looks += 1
    }
    await(writer)
    assert(looks > 0)
    assert(seen > 0)
  }

  private def numbersOf(table: String): Seq[Int] =
    spark.table(table).select("n").collect().map(_.getInt(0)).toSeq.sorted

  Seq("CREATE", "CREATE OR REPLACE").foreach { create =>
    test(s"$create TABLE AS SELECT keeps rows that others have written to the new table") {
      gated("kept", 1).createOrReplaceTempView("rows_kept")
      val creating = Future(
        spark.sql(s"$create TABLE t_kept USING variant_shredded AS SELECT n, v FROM rows_kept")
      )
      Gate.awaitReached("kept")
      spark.sql("INSERT INTO t_kept SELECT 2, parse_json('{\"a\": 2}')")
      Gate.open("kept")
      await(creating)
      assert(numbersOf("t_kept") === Seq(1, 2))
      spark.sql("DROP TABLE t_kept")
    }
  }

  test("CREATE TABLE AS SELECT that fails keeps rows that others have written") {
    failing("lost", 1).createOrReplaceTempView("rows_lost")
    val creating = Future(
      spark.sql("CREATE TABLE t_lost USING variant_shredded AS SELECT n, v FROM rows_lost")
    )
    Gate.awaitReached("lost")
    spark.sql("INSERT INTO t_lost SELECT 2, parse_json('{\"a\": 2}')")
    Gate.open("lost")
    intercept[Exception](await(creating))
    assert(numbersOf("t_lost") === Seq(2))
    spark.sql("DROP TABLE t_lost")
  }

  test("what a killed overwrite has left says nothing of the partitions") {
    val (path, other) = (newPath(), newPath())
    save(rows(1, 2), path, "append")
    partitioned(rows(8), other, "append")
    val job = java.util.UUID.randomUUID.toString
    val left = Files.walk(other).filter(_.toString.endsWith(".parquet")).findFirst.get
    Files.createDirectories(path.resolve("p=0"))
    Files.copy(left, path.resolve(s"p=0/part-00000-$job-c000.snappy.parquet"))
    DeadCommit.leave(path, job)
    assert(content(path) === Seq(1, 2))
    save(rows(3), path, "append")
    assert(both(path) === Seq(1, 2, 3))
  }

  test("a job whose table is replaced while it runs does not commit a part of its rows") {
    spark.sql("CREATE TABLE t_replaced (n INT, v VARIANT) USING variant_shredded")
    Gate.close("replaced")
    // Not a local relation, whose rows Spark would compute before the job begins.
    val slow = spark
      .range(1, 3, 1, 1)
      .select(Gate.behind("replaced", col("id").cast("int")).as("n"))
      .selectExpr("n", "parse_json(concat('{\"a\":', n, '}')) AS v")
    val first = Future(slow.write.insertInto("t_replaced"))
    Gate.awaitReached("replaced")
    spark.sql(
      "CREATE OR REPLACE TABLE t_replaced USING variant_shredded AS " +
        "SELECT 9 AS n, parse_json('{\"a\": 9}') AS v"
    )
    Gate.open("replaced")
    val error = intercept[Exception](await(first))
    val causes = Causes.of(error)
    assert(causes.exists {
      case ours: VariantShreddedException => ours.condition == "CONCURRENT_WRITE"
      case _                              => false
    })
    assert(numbersOf("t_replaced") === Seq(9))
    spark.sql("DROP TABLE t_replaced")
  }
}
