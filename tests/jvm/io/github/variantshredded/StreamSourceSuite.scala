package io.github.variantshredded

import java.nio.file.{Files, Path}

import io.github.variantshredded.fault.{FaultFileSystem, Faults, Recording}
import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.MicroBatchScanExec
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}

/** `spark.readStream.format("variant-shredded").load(path)`: every row once, pushed as in a batch. */
class StreamSourceSuite extends PathSuite {

  private def stream(path: String, options: (String, String)*): DataFrame = spark.readStream
    .format("variant-shredded")
    .schema("n INT, p INT, v VARIANT")
    .options(options.toMap)
    .load(path)

  /** Runs the query over the files that there are, and waits for it. */
  private def run(
      df: DataFrame,
      to: String,
      checkpoint: String,
      format: String = "variant-shredded"
  ): StreamingQuery = {
    val query = df.writeStream
      .format(format)
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.AvailableNow())
      .start(to)
    query.awaitTermination()
    query
  }

  private def append(path: String, from: Int, until: Int): Unit =
    writer(rows(from, until)).partitionBy("p").mode("append").save(path)

  private def scans(query: StreamingQuery): Seq[VariantScan] = query match {
    case wrapper: StreamingQueryWrapper =>
      wrapper.streamingQuery.lastExecution.executedPlan
        .collect { case exec: MicroBatchScanExec =>
          exec.scan
        }
        .collect { case scan: VariantScan => scan }
    case other => fail(s"not a query of this JVM: $other")
  }

  test("write, stream, write: each row once, also after restarts") {
    val (from, to, checkpoint) = (newPath(), newPath(), newPath())
    append(from, 0, 30)
    val first = run(stream(from), to, checkpoint)
    assert(first.recentProgress.map(_.numInputRows).sum === 30)
    run(stream(from), to, checkpoint)
    append(from, 30, 50)
    run(stream(from), to, checkpoint)
    assert(numbers(reader.load(to)) === (0 until 50))
  }

  test("each source continues a query of the other") {
    val (from, to, checkpoint) = (newPath(), newPath(), newPath())
    def parquet = spark.readStream.schema("n INT, p INT, v VARIANT").parquet(from)
    append(from, 0, 10)
    run(parquet, to, checkpoint)
    append(from, 10, 20)
    run(stream(from), to, checkpoint)
    append(from, 20, 30)
    run(parquet, to, checkpoint)
    assert(numbers(reader.load(to)) === (0 until 30))
  }

  test("extractions, columns and predicates are pushed as in a batch") {
    val (from, to) = (newPath(), newPath())
    append(from, 0, 30)
    val query = run(
      stream(from)
        .where("p = 1 AND v:n::int > 5")
        .selectExpr("v:n::int as n", "_metadata.file_name f"),
      to,
      newPath(),
      "parquet"
    )
    assert(scans(query).size === 1)
    val scan = scans(query).head
    assert(scan.pushed.extractions.map(_.name).nonEmpty)
    assert(scan.readDataSchema.isEmpty)
    assert(scan.partitionFilters.nonEmpty)
    assert(scan.pushed.filters.conjuncts.pushed.nonEmpty)
    assert(query.recentProgress.map(_.numInputRows).sum > 0)
    val names = dataFiles(from).map(_.split('/').last).toSet
    val found = spark.read.parquet(to).collect()
    assert(found.map(_.getInt(0)).toSet === (6 until 30).filter(_ % 3 == 1).toSet)
    assert(found.forall(row => names(row.getString(1))))
  }

  test("maxFilesPerTrigger and maxBytesPerTrigger divide the files into batches") {
    val from = newPath()
    (0 until 5).foreach(i => writer(rows(i * 10, i * 10 + 10)).mode("append").save(from))
    Seq("maxFilesPerTrigger" -> "2", "maxBytesPerTrigger" -> "1").zip(Seq(3, 5)).foreach {
      case (option, batches) =>
        val to = newPath()
        val query = run(stream(from, option), to, newPath())
        assert(query.recentProgress.count(_.numInputRows > 0) === batches, option)
        assert(numbers(reader.load(to)) === (0 until 50), option)
    }
  }

  test("a union of a stream with itself, and aggregates") {
    val (from, to) = (newPath(), newPath())
    append(from, 0, 30)
    val df = stream(from)
    run(
      df.where("v:n::int < 10")
        .selectExpr("v:n::int as x")
        .union(df.where("n > 20").selectExpr("v:n::int + 100 as x")),
      to,
      newPath(),
      "parquet"
    )
    assert(
      spark.read.parquet(to).collect().map(_.getInt(0)).toSet ===
        ((0 until 10) ++ (121 until 130)).toSet
    )
    val query = stream(from)
      .groupBy("p")
      .count()
      .writeStream
      .format("memory")
      .queryName("counts")
      .outputMode("complete")
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    assert(
      spark.table("counts").collect().map(r => r.getInt(0) -> r.getLong(1)).toMap ===
        Map(0 -> 10L, 1 -> 10L, 2 -> 10L)
    )
  }

  test("two streams are joined, though one has no new files") {
    val (left, right, to, checkpoint) = (newPath(), newPath(), newPath(), newPath())
    append(left, 0, 10)
    Files.createDirectories(Path.of(right))
    def joined = {
      val a = stream(left).as("a")
      val b = stream(right).as("b")
      a.join(b, org.apache.spark.sql.functions.expr("a.v:n::int = b.v:n::int"))
        .selectExpr("a.v:n::int as x", "b.n as y")
    }
    run(joined, to, checkpoint, "parquet")
    append(right, 5, 15)
    run(joined, to, checkpoint, "parquet")
    append(left, 10, 20)
    run(joined, to, checkpoint, "parquet")
    assert(
      spark.read.parquet(to).collect().map(r => r.getInt(0) -> r.getInt(1)).toSet ===
        (5 until 15).map(i => i -> i).toSet
    )
  }

  test("a directory that a stream has written is read by its log") {
    val (from, between, to) = (newPath(), newPath(), newPath())
    append(from, 0, 20)
    run(stream(from), between, newPath())
    run(stream(between), to, newPath())
    assert(numbers(reader.load(to)) === (0 until 20))
  }

  test("a pattern leaves out the files of jobs that have not ended") {
    val (from, to) = (newPath(), newPath())
    append(from, 0, 6)
    val file = dataFiles(from).head
    Seq("_temporary/0/task_1", ".spark-staging-1").foreach { job =>
      val copy = Path.of(from, job, file)
      Files.createDirectories(copy.getParent)
      Files.copy(Path.of(from, file), copy)
    }
    run(stream(s"$from/*", "basePath" -> from), to, newPath())
    assert(numbers(reader.load(to)) === (0 until 6))
  }

  test("the schema is given or inferred") {
    val from = newPath()
    append(from, 0, 10)
    def bare = spark.readStream.format("variant-shredded")
    val error = intercept[IllegalArgumentException](bare.load(from))
    assert(error.getMessage.contains("Schema must be specified"))
    assert(bare.option("schema", "n INT, v VARIANT").load(from).isStreaming)
    withConf("spark.sql.streaming.schemaInference" -> "true") {
      val to = newPath()
      run(bare.load(from), to, newPath())
      assert(numbers(reader.load(to)) === (0 until 10))
    }
  }

  test("a file that is deleted before its batch ends the query, unless missing files are ignored") {
    val (from, to, checkpoint) = (newPath(), newPath(), newPath())
    append(from, 0, 3)
    run(stream(from), to, checkpoint)
    append(from, 3, 6)
    run(stream(from), to, checkpoint)
    // As if the process had been killed before the batch was written.
    Seq("offsets", "commits").foreach { name =>
      Files.delete(Path.of(checkpoint, name, "1"))
      Files.deleteIfExists(Path.of(checkpoint, name, ".1.crc"))
    }
    Files.delete(Path.of(from, dataFiles(from).head))
    Files.delete(Path.of(from, dataFiles(from).last))
    val gone = newPath()
    val error = intercept[StreamingQueryException](run(stream(from), gone, checkpoint))
    assert(error.getMessage.contains("[STREAM_FILE_MISSING]"), error.getMessage)
    run(stream(from, "ignoreMissingFiles" -> "true"), gone, checkpoint)
  }

  test("no commit notes are looked for below the files of a micro-batch") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val (from, to, checkpoint) = (newPath(), newPath(), newPath())
    append(from, 0, 9)
    val recording = new Recording
    Faults.watched(from, recording) {
      run(stream(s"fault:$from"), to, checkpoint): Unit
    }
    val files = dataFiles(from).map(Path.of(from, _).toString)
    val below = recording.operations
      .map(_.path.toUri.getPath)
      .filter(path => files.exists(file => path.startsWith(s"$file/")))
    assert(below === Nil)
    assert(numbers(reader.load(to)) === (0 until 9))
  }

  test("cleanSource deletes what has been read") {
    val (from, to, checkpoint) = (newPath(), newPath(), newPath())
    append(from, 0, 9)
    run(stream(from, "cleanSource" -> "delete"), to, checkpoint)
    append(from, 9, 12)
    val query = run(stream(from, "cleanSource" -> "delete"), to, checkpoint)
    query.stop()
    assert(numbers(reader.load(to)) === (0 until 12))
  }

  test("a continuous trigger is refused") {
    val from = newPath()
    append(from, 0, 3)
    val error = intercept[Exception](
      stream(from).writeStream
        .format("console")
        .option("checkpointLocation", newPath())
        .trigger(Trigger.Continuous("1 second"))
        .start()
        .awaitTermination()
    )
    assert(error.getMessage.contains("does not support continuous processing"), error.getMessage)
  }
}
