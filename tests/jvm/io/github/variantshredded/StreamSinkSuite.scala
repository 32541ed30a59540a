package io.github.variantshredded

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.commit.{ActingCommit, InterruptedCommit}
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{
  ActingOnce,
  FaultFileSystem,
  Faults,
  Operation,
  OwnFileSystem,
  Watcher
}
import io.github.variantshredded.testing.{LocalParquet, PathSuite, StreamedRows}
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions.{col, count, window}
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.tagobjects.Slow

/** `df.writeStream.format("variant-shredded").start(path)`: every row once, whatever fails. */
class StreamSinkSuite extends PathSuite with StreamedRows {

  /** The numbers that are there, by our reader, by the path in SQL and by Spark's Parquet source. */
  private def seen(path: String): Seq[Int] = {
    val ours = numbers(reader.load(path))
    assert(numbers(spark.sql(s"SELECT * FROM variant_shredded.`$path`")) === ours)
    assert(numbers(spark.read.parquet(path)) === ours)
    ours
  }

  private def batches(path: String): Set[String] = {
    val names = Path.of(path, "_spark_metadata").toFile.list().toSet
    names.filterNot(_.startsWith("."))
  }

  private def footer[T](path: String, file: String)(read: MessageType => T): T = {
    val opened = LocalParquet.open(Path.of(path, file))
    Using.resource(opened)(opened => read(opened.getFileMetaData.getSchema))
  }

  private def shreddedFields(path: String, file: String): Set[String] =
    footer(path, file)(_.getColumns.asScala.map(_.getPath.toSeq)).collect {
      case Seq("v", "typed_value", field, _*) => field
    }.toSet

  private def interrupted(at: String)(body: => Unit): Unit = withConf(
    "spark.sql.streaming.commitProtocolClass" -> classOf[InterruptedCommit].getName
  ) {
    InterruptedCommit.at = at
    try body
    finally InterruptedCommit.at = InterruptedCommit.Never
  }

  test("each batch adds its rows once, also after a restart") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    Seq(0 until 4, 4 until 7, 7 until 8).foreach { numbers =>
      source.addData(numbers)
      writeStream(df, path, checkpoint)
    }
    assert(seen(path) === (0 until 8))
    assert(batches(path) === Set("0", "1", "2", "query"))
    writeStream(df, path, checkpoint) // nothing new
    assert(seen(path) === (0 until 8))
  }

  test("a restarted stream keeps the partitioning, and other columns are refused") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    source.addData(0 until 6)
    writeStream(df, path, checkpoint, Seq("P"))
    source.addData(6 until 9)
    writeStream(df, path, checkpoint) // as the directory is partitioned
    assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
    assert(seen(path) === (0 until 9))
    assert(numbers(reader.load(path).where("p = 1")) === Seq(1, 4, 7))
    source.addData(9)
    val error = intercept[VariantShreddedException](writeStream(df, path, checkpoint, Seq("n")))
    assert(error.condition === "PARTITIONING_MISMATCH")
  }

  test("a restarted stream may name the partition column in other letters") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    source.addData(0 until 3)
    writeStream(df, path, checkpoint, Seq("p"))
    source.addData(3 until 6)
    writeStream(df.withColumnRenamed("p", "P"), path, checkpoint, Seq("P"))
    assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
    assert(seen(path) === (0 until 6))
  }

  test(
    "a restarted stream is refused where the directory has been moved, and goes on at its place"
  ) {
    Seq(Nil, Seq("p")).foreach { columns =>
      val (path, moved, checkpoint) = (newPath(), newPath(), newPath())
      val (source, df) = stream()
      source.addData(0 until 3)
      writeStream(df, path, checkpoint, columns)
      Files.move(Path.of(path), Path.of(moved))
      source.addData(3 until 6)
      val before = dataFiles(moved)
      val error = intercept[VariantShreddedException](writeStream(df, moved, checkpoint, columns))
      assert(error.getMessage.contains("A directory that was moved"), error)
      assert(dataFiles(moved) === before)
      assert(batches(moved) === Set("0", "query"))
      Files.move(Path.of(moved), Path.of(path))
      writeStream(df, path, checkpoint, columns)
      assert(seen(path) === (0 until 6))
    }
  }

  test("a stream is started with the settings of its session, not of the active one") {
    val session = OwnFileSystem.session(spark)
    val (path, checkpoint) = (s"${OwnFileSystem.Scheme}:${newPath()}", newPath())
    val source = MemoryStream[Int](ints, session)
    def read = session.read.format("variant-shredded").load(path)
    Seq(0 until 3, 3 until 5).foreach { numbers =>
      source.addData(numbers)
      writeStream(variants(source.toDF()), path, checkpoint, Seq("p"))
    }
    assert(SparkSession.active === spark)
    assert(numbers(read) === (0 until 5))
    // Names differ in letters only for a session that is case-sensitive.
    session.conf.set("spark.sql.caseSensitive", "true")
    source.addData(5)
    val error = intercept[VariantShreddedException] {
      writeStream(variants(source.toDF()).withColumnRenamed("p", "P"), path, checkpoint, Seq("P"))
    }
    assert(error.condition === "PARTITIONING_MISMATCH")
  }

  Seq(InterruptedCommit.Before, InterruptedCommit.After).foreach { at =>
    Seq(Nil, Seq("p")).foreach { partitionBy =>
      val how = if (partitionBy.isEmpty) "" else ", with partitions"
      test(s"a batch that was interrupted $at its commit is there once$how") {
        val (path, checkpoint) = (newPath(), newPath())
        val (source, df) = stream()
        source.addData(0 until 4)
        writeStream(df, path, checkpoint, partitionBy)
        source.addData(4 until 8)
        interrupted(at) {
          val error =
            intercept[StreamingQueryException](writeStream(df, path, checkpoint, partitionBy))
          assert(error.getMessage.contains(s"interrupted $at the commit"))
        }
        // The files are there; whether they count, the log says.
        assert(seen(path) === (if (at == InterruptedCommit.Before) 0 until 4 else 0 until 8))
        val left = dataFiles(path).size
        source.addData(8 until 9)
        writeStream(df, path, checkpoint, partitionBy)
        assert(seen(path) === (0 until 9))
        assert(dataFiles(path).size > left)
      }
    }
  }

  test("a new query writes its rows once where the first batch of another was interrupted") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    interrupted(InterruptedCommit.Before) {
      intercept[StreamingQueryException](writeStream(df, path, newPath()))
    }
    assert(dataFiles(path).nonEmpty)
    writeStream(df, path, newPath())
    assert(seen(path) === (0 until 4))
  }

  /** Does `action` when the first batch of a query lists the entries of a log. */
  private def atListing(isBefore: Boolean)(action: => Unit): Watcher = {
    def isOfBatch = Thread.currentThread.getName.startsWith("stream execution thread")
    def isListing(operation: Operation) =
      isOfBatch && operation.kind == "list" && operation.path.getName == "_spark_metadata"
    new ActingOnce(isListing, isBefore)(action)
  }

  Seq("a new query", "the query that has claimed it").foreach { name =>
    for (moment <- Seq("before", "after"))
      test(
        s"a query is refused if another one commits its first batch while $name claims the log: " +
          s"$moment the listing"
      ) {
        FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
        val path = newPath()
        val (of1, first) = stream()
        of1.addData(0 until 4)
        val checkpoint1 = newPath()
        interrupted(InterruptedCommit.Before) {
          intercept[StreamingQueryException](writeStream(first, path, checkpoint1))
        }
        val (of2, second) = stream()
        of2.addData(4 until 8)
        val queries = Seq(
          (to: String) => writeStream(first, to, checkpoint1),
          (to: String) => writeStream(second, to, newPath())
        )
        val isNew = name == "a new query"
        val (ours, other) = if (isNew) (queries(1), queries(0)) else (queries(0), queries(1))
        val error = Faults.watched(path, atListing(moment == "before")(other(path))) {
          intercept[StreamingQueryException](ours(s"${FaultFileSystem.Scheme}://$path"))
        }
        assert(error.getMessage.contains("[CONFLICTING_STREAMING_QUERY]"))
        assert(seen(path) === (if (isNew) 0 until 4 else 4 until 8))
      }
  }

  test("a query fails if an overwrite removes the log of Spark's sink while it claims the log") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    (0 to 1).foreach { n =>
      source.addData(n)
      writeStream(df, path, checkpoint, format = "parquet")
    }
    source.addData(2)
    def overwrite() = writer(rows(4, 6)).mode("overwrite").save(path)
    val error = Faults.watched(path, atListing(isBefore = false)(overwrite())) {
      intercept[StreamingQueryException] {
        writeStream(df, s"${FaultFileSystem.Scheme}://$path", checkpoint)
      }
    }
    assert(error.getMessage.contains("[STREAM_LOG_REMOVED]"))
    assert(seen(path) === Seq(4, 5))
  }

  test("another query's checkpoint is refused, where Spark would leave batches out") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    writeStream(df, path, newPath())
    val error = intercept[StreamingQueryException](writeStream(df, path, newPath()))
    assert(error.getMessage.contains("[CONFLICTING_STREAMING_QUERY]"))
    assert(error.getMessage.contains("up to number 0"))
    assert(seen(path) === (0 until 4))
  }

  test("Spark's own sink and this one continue each other") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    val formats = Seq("parquet", "variant-shredded", "parquet", "variant-shredded")
    formats.zipWithIndex.foreach { case (format, i) =>
      source.addData(i)
      writeStream(df, path, checkpoint, format = format)
      assert(seen(path) === (0 to i))
    }
    val other = intercept[StreamingQueryException](writeStream(df, path, newPath()))
    assert(other.getMessage.contains("[CONFLICTING_STREAMING_QUERY]"))
  }

  test("a new query is refused where Spark's own sink has written several batches") {
    val path = newPath()
    val (source, df) = stream()
    val checkpoint = newPath()
    (0 to 1).foreach { i =>
      source.addData(i)
      writeStream(df, path, checkpoint, format = "parquet")
    }
    val error = intercept[StreamingQueryException](writeStream(df, path, newPath()))
    assert(error.getMessage.contains("[CONFLICTING_STREAMING_QUERY]"))
    assert(seen(path) === Seq(0, 1))
  }

  test("a new query is refused where Spark's own sink has written batch 0") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    writeStream(df, path, newPath(), format = "parquet")
    val error = intercept[StreamingQueryException](writeStream(df, path, newPath()))
    assert(error.getMessage.contains("[CONFLICTING_STREAMING_QUERY]"))
    assert(seen(path) === (0 until 4))
  }

  test("an older copy of the checkpoint is refused: rows that are new since would be skipped") {
    val (path, checkpoint) = (newPath(), newPath())
    val from = newPath()
    def df: DataFrame = variants(spark.readStream.schema("value INT").parquet(from))
    def add(i: Int): Unit = spark
      .range(i, i + 1)
      .selectExpr("CAST(id AS INT) AS value")
      .write
      .mode("append")
      .parquet(from)
    def addAndRun(i: Int): Unit = {
      add(i)
      writeStream(df, path, checkpoint)
    }
    addAndRun(0)
    val copy = newPath()
    copyAll(Path.of(checkpoint), Path.of(copy))
    addAndRun(1)
    addAndRun(2)
    add(3)
    val error = intercept[StreamingQueryException](writeStream(df, path, copy))
    assert(error.getMessage.contains("as an older copy of the checkpoint does"))
    writeStream(df, path, checkpoint)
    assert(seen(path) === (0 to 3))
  }

  private def copyAll(from: Path, to: Path): Unit = Files.walk(from).forEach { file =>
    val target = to.resolve(from.relativize(file).toString)
    if (Files.isDirectory(file)) Files.createDirectories(target) else Files.copy(file, target)
    ()
  }

  test("batches without rows write one file, which tells the schema") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    val none = df.where("n < 0")
    (0 to 1).foreach { i =>
      source.addData(i)
      writeStream(none, path, checkpoint)
    }
    assert(seen(path) === Nil)
    assert(reader.load(path).schema.map(_.name) === df.schema.map(_.name))
    assert(dataFiles(path).size === 1)
    source.addData(2)
    writeStream(df, path, checkpoint)
    assert(seen(path) === Seq(2))
  }

  test("an aggregation with a watermark writes each window once") {
    val (path, checkpoint) = (newPath(), newPath())
    val source = MemoryStream[Int](ints, spark)
    val counts = source
      .toDF()
      .selectExpr("timestamp_seconds(value) as t")
      .withWatermark("t", "0 seconds")
      .groupBy(window(col("t"), "10 seconds"))
      .agg(count("*").as("c"))
      .selectExpr("cast(unix_seconds(window.start) as int) n", "to_variant_object(struct(c)) v")
    Seq(Seq(1, 2, 11), Seq(12, 25), Seq(99)).foreach { seconds =>
      source.addData(seconds)
      writeStream(counts, path, checkpoint)
    }
    val result = reader.load(path).selectExpr("n", "v:c::int").collect().map(_.toString).sorted
    assert(result === Array("[0,2]", "[10,2]", "[20,1]"))
  }

  test("a compacted log keeps all rows and the entry of the query") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    withConf(
      "spark.sql.streaming.fileSink.log.compactInterval" -> "2",
      "spark.sql.streaming.fileSink.log.cleanupDelay" -> "0",
      "spark.sql.streaming.minBatchesToRetain" -> "1"
    ) {
      (0 until 5).foreach { i =>
        source.addData(i)
        writeStream(df, path, checkpoint)
        assert(seen(path) === (0 to i))
      }
      assert(batches(path).contains("3.compact"))
      assert(!batches(path).contains("0"))
      assert(batches(path).contains("query"))
    }
  }

  test("retention: the log forgets, when it is compacted, what is older") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    withConf("spark.sql.streaming.fileSink.log.compactInterval" -> "2") {
      source.addData(0)
      writeStream(df, path, checkpoint)
      source.addData(1)
      writeStream(df, path, checkpoint, options = Map("retention" -> "1ms"))
      assert(batches(path).contains("1.compact"))
      assert(!numbers(reader.schema(df.schema).load(path)).contains(0))
    }
    val error = intercept[VariantShreddedException] {
      writeStream(df, path, checkpoint, options = Map("retention" -> "soon"))
    }
    assert(error.condition === "INVALID_VARIANT_SHREDDED_OPTION")
  }

  test("a shredding schema is inferred or given; one for an unknown column is refused") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    source.addData(0 until 3)
    writeStream(df, path, checkpoint)
    source.addData(3 until 6)
    writeStream(df, path, checkpoint, options = Map("shredding" -> """{"v": "other string"}"""))
    assert(seen(path) === (0 until 6))
    assert(dataFiles(path).map(shreddedFields(path, _)).toSet === Set(Set("n"), Set("other")))
    source.addData(6)
    val error = intercept[StreamingQueryException] {
      writeStream(df, path, checkpoint, options = Map("shredding" -> """{"w": "other string"}"""))
    }
    assert(error.getMessage.contains("INVALID_SHREDDING_SPECIFICATION"))
  }

  test("a batch keeps the layout of the last one, whatever an attempt left") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    def options(field: String) = Map("shredding" -> s"""{"v": "n $field"}""")
    def typesOf(files: Seq[String]): Seq[PrimitiveTypeName] =
      files
        .map(footer(path, _)(_.getType("v", "typed_value", "n", "typed_value")))
        .map(_.asPrimitiveType.getPrimitiveTypeName)
    source.addData(0 until 3)
    writeStream(df, path, checkpoint, options = options("int"))
    source.addData(3 until 6)
    interrupted(InterruptedCommit.Before) {
      intercept[StreamingQueryException] {
        writeStream(df, path, checkpoint, options = options("bigint"))
      }
    }
    val before = dataFiles(path)
    assert(typesOf(before).toSet === Set(PrimitiveTypeName.INT32, PrimitiveTypeName.INT64))
    writeStream(df, path, checkpoint)
    source.addData(6)
    writeStream(df, path, checkpoint)
    val added = dataFiles(path).diff(before)
    assert(added.size >= 2)
    assert(typesOf(added).toSet === Set(PrimitiveTypeName.INT32))
    assert(seen(path) === (0 until 7))
  }

  test("output modes other than append are refused with Spark's condition") {
    val (_, df) = stream()
    Seq("complete", "update").foreach { mode =>
      val aggregated = df.groupBy("p").count()
      def attempt(format: String): AnalysisException = intercept[AnalysisException](
        writeStream(aggregated, newPath(), newPath(), format = format, mode = mode)
      )
      val error = attempt("variant-shredded")
      assert(error.getCondition === "STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE")
      assert(error.getCondition === attempt("parquet").getCondition)
    }
  }

  test("a stream into a directory with other data is refused, and the data stay") {
    val path = written(rows(0, 2), "p")
    val (source, df) = stream()
    source.addData(2)
    val error = intercept[VariantShreddedException](writeStream(df, path, newPath()))
    assert(error.getMessage.contains("files that no stream wrote"))
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("a stream into a directory with partitions in a directory below is refused") {
    val path = newPath()
    writer(rows(0, 2)).partitionBy("p").save(s"$path/below")
    assert(reader.load(path).count() === 2)
    val (source, df) = stream()
    source.addData(2)
    val error = intercept[VariantShreddedException](writeStream(df, path, newPath()))
    assert(error.getMessage.contains("files that no stream wrote"))
    assert(reader.load(path).count() === 2)
  }

  test("a batch is not added to a stream's directory, but may take its place") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    source.addData(0 until 4)
    writeStream(df, path, checkpoint, Seq("p"))
    val more = rows(4, 6)
    def refused(body: => Any): Unit = {
      val error = intercept[VariantShreddedException](body)
      assert(error.condition === "UNSUPPORTED_FEATURE")
      assert(error.getMessage.contains("the log of a streaming query"))
      assert(seen(path) === (0 until 4))
    }
    refused(writer(more).mode("append").save(path))
    refused(
      writer(more).mode("overwrite").option("partitionOverwriteMode", "dynamic").save(path)
    )
    more.createOrReplaceTempView("more")
    refused(spark.sql(s"INSERT INTO variant_shredded.`$path` SELECT n, v, p FROM more"))
    writer(more).mode("overwrite").save(path)
    assert(seen(path) === Seq(4, 5))
    assert(!Files.exists(Path.of(path, "_spark_metadata")))
    writer(rows(6, 7)).mode("append").save(path)
    assert(seen(path) === Seq(4, 5, 6))
    val error = intercept[VariantShreddedException](writeStream(df, path, checkpoint))
    assert(error.getMessage.contains("files that no stream wrote"))
  }

  Seq("append", "overwrite", "errorifexists").foreach { mode =>
    test(s"a write to a partition of a stream's directory is refused: $mode") {
      val path = newPath()
      val (source, df) = stream()
      source.addData(0 until 4)
      writeStream(df, path, newPath(), Seq("p"))
      val part = if (mode == "errorifexists") "p=7" else "p=1"
      def refused(body: => Any): Unit = {
        val error = intercept[VariantShreddedException](body)
        assert(error.condition === "UNSUPPORTED_FEATURE")
        assert(error.getMessage.contains(s"' while 'file:$path', of which it is a partition"))
        assert(seen(path) === (0 until 4))
      }
      val more = writer(rows(4, 6).drop("p")).mode(mode)
      refused(more.save(s"$path/$part"))
      refused(more.save(s"$path/$part/q=1"))
      withConf("spark.sql.streaming.fileStreamSink.ignoreMetadata" -> "true") {
        refused(more.save(s"$path/$part"))
      }
    }
  }

  test("a stream to a partition of a stream's directory is refused") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    writeStream(df, path, newPath(), Seq("p"))
    Seq("p=1", "p=7", "p=7/q=1").foreach { part =>
      val error = intercept[VariantShreddedException] {
        writeStream(df.drop("p"), s"$path/$part", newPath())
      }
      assert(error.condition === "UNSUPPORTED_FEATURE")
      assert(error.getMessage.contains(s"' while 'file:$path', of which it is a partition"))
      assert(seen(path) === (0 until 4))
    }
    assert(partitions(path) === Seq("p=0", "p=1", "p=2"))
    assert(!Files.exists(Path.of(path, "p=7")))
  }

  test("DELETE in a partition of a stream's directory is refused") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    writeStream(df, path, newPath(), Seq("p"))
    val error = intercept[VariantShreddedException] {
      spark.sql(s"DELETE FROM variant_shredded.`$path/p=1`")
    }
    assert(error.getMessage.contains("of which it is a partition"), error)
    assert(seen(path) === (0 until 4))
  }

  test("a stream that begins while a batch writes a partition of its directory keeps its rows") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    def ofTask(operation: Operation) =
      operation.kind == "create" && operation.path.toString.contains("_temporary")
    val begins = new ActingOnce(ofTask, isBefore = false)(
      writeStream(df, path, newPath(), Seq("p"))
    )
    val error = intercept[VariantShreddedException] {
      Faults.watched(path, begins) {
        writer(rows(4, 6).drop("p"))
          .mode("overwrite")
          .save(s"${FaultFileSystem.Scheme}://$path/p=1")
      }
    }
    assert(error.getMessage.contains("of which it is a partition"), error)
    assert(numbers(reader.load(path)) === (0 until 4))
  }

  test("an overwrite that fails leaves the stream's files and log") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    writeStream(df, path, newPath())
    val failing = rows(4, 6).selectExpr("n", "p", "if(n = 5, raise_error('boom'), v) as v")
    intercept[Exception](writer(failing).mode("overwrite").save(path))
    assert(seen(path) === (0 until 4))
  }

  test("a log whose removal was interrupted while it was copied is removed by the next job") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    (0 until 3).foreach { i =>
      source.addData(i)
      writeStream(df, path, checkpoint)
    }
    val onStore = s"${FaultFileSystem.Scheme}://$path"
    Faults.watched(path, new CopyingRenames("_spark_metadata")) {
      intercept[Exception](writer(rows(4, 6)).mode("overwrite").save(onStore))
      writer(rows(6, 7)).mode("append").save(onStore)
    }
    assert(seen(path) === Seq(4, 5, 6))
    assert(Path.of(path).toFile.list().filter(_.contains("_spark_metadata")).isEmpty)
  }

  private def truncate(path: String): Unit = {
    spark.sql(s"TRUNCATE TABLE variant_shredded.`$path`")
    ()
  }

  Seq(1 -> Nil, 2 -> Seq(Slow), 3 -> Nil, 10 -> Seq(Slow)).foreach { case (interval, tags) =>
    test(s"a query goes on after truncations, the log compacted every $interval", tags: _*) {
      withConf("spark.sql.streaming.fileSink.log.compactInterval" -> interval.toString) {
        val (path, checkpoint) = (newPath(), newPath())
        val (source, df) = stream()
        var first = 0
        val batches = if (interval < 10) 16 else 25
        (0 until batches).foreach { i =>
          source.addData(i)
          writeStream(df, path, checkpoint)
          if (i % 3 == 1 || i > batches - 5)
            assert(numbers(reader.load(path)) === (first to i), s"after batch $i")
          if (Set(0, 3, 4, 13)(i)) {
            truncate(path)
            first = i + 1
          }
        }
        assert(seen(path) === (first until batches))
        // Also with another setting than the one that the log was written with.
        withConf("spark.sql.streaming.fileSink.log.compactInterval" -> "7") {
          assert(seen(path) === (first until batches))
        }
      }
    }

    test(s"a query goes on in a new directory, the log compacted every $interval", tags: _*) {
      withConf(
        "spark.sql.streaming.fileSink.log.compactInterval" -> interval.toString,
        "spark.sql.streaming.fileSink.log.cleanupDelay" -> "0",
        "spark.sql.streaming.minBatchesToRetain" -> "1"
      ) {
        val checkpoint = newPath()
        val (source, df) = stream()
        val paths = Seq.fill(3)(newPath())
        paths.zipWithIndex.foreach { case (path, k) =>
          (5 * k until 5 * k + 5).foreach { i =>
            source.addData(i)
            writeStream(df, path, checkpoint)
            assert(numbers(reader.load(path)) === (5 * k to i))
          }
          assert(seen(path) === (5 * k until 5 * k + 5))
        }
        // Its batches of before are there, those between are not.
        source.addData(15)
        val error = intercept[StreamingQueryException](writeStream(df, paths.head, checkpoint))
        assert(error.getMessage.contains("[MISSING_STREAM_BATCHES]"))
        assert(error.getMessage.contains("up to number 4, and number 15"))
        assert(error.getMessage.contains("repartitioned the query's state offline"))
        assert(seen(paths.head) === (0 to 4))
      }
    }
  }

  test("a running query goes on after a truncation between its batches") {
    val path = newPath()
    val (source, df) = stream()
    withQuery(df, path, "p") { query =>
      (0 until 12).foreach { i =>
        source.addData(i)
        query.processAllAvailable()
        if (i % 4 == 3) {
          truncate(path)
          assert(!Files.exists(Path.of(path, "_spark_metadata")))
        } else assert(seen(path) === (i / 4 * 4 to i))
      }
    }
  }

  test("an overwrite between the batches of a running query ends it, and keeps its rows") {
    val path = newPath()
    val (source, df) = stream()
    withQuery(df, path) { query =>
      source.addData(0)
      query.processAllAvailable()
      writer(rows(4, 6)).mode("overwrite").save(path)
      source.addData(1)
      val error = intercept[StreamingQueryException](query.processAllAvailable())
      assert(error.getMessage.contains("files that no stream wrote"))
      assert(seen(path) === Seq(4, 5))
    }
  }

  test("an overwritten directory is refused at the next start; emptied, the query goes on") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    (0 to 2).foreach { i =>
      source.addData(i)
      writeStream(df, path, checkpoint)
    }
    writer(rows(10, 12)).mode("overwrite").save(path)
    source.addData(3)
    val error = intercept[VariantShreddedException](writeStream(df, path, checkpoint))
    assert(error.getMessage.contains("empty this one before"))
    assert(seen(path) === Seq(10, 11))
    truncate(path)
    writeStream(df, path, checkpoint)
    assert(seen(path) === Seq(3))
  }

  Seq[(String, String => Unit, Seq[Int])](
    ("a truncation", truncate, Nil),
    ("an overwrite", path => writer(rows(10, 12)).mode("overwrite").save(path), Seq(10, 11))
  ).foreach { case (what, clear, left) =>
    Seq(ActingCommit.WhileWriting, ActingCommit.AtCommit).foreach { at =>
      val outcome = if (at == ActingCommit.AtCommit) "comes after it" else "makes it fail"
      test(s"$what $at $outcome") {
        val (path, checkpoint) = (newPath(), newPath())
        val (source, df) = stream()
        source.addData(0)
        writeStream(df, path, checkpoint)
        source.addData(1)
        withConf(
          "spark.sql.streaming.commitProtocolClass" -> classOf[ActingCommit].getName
        ) {
          ActingCommit.acting(at, () => clear(path)) {
            // At the commit it has to wait, and so comes after the batch.
            if (at == ActingCommit.AtCommit) writeStream(df, path, checkpoint)
            else {
              val error = intercept[StreamingQueryException](writeStream(df, path, checkpoint))
              assert(error.getMessage.contains("[STREAM_LOG_REMOVED]"))
            }
          }
        }
        // No file of the batch is left to be seen, and no log hides other files.
        assert(dataFiles(path).size === left.size.min(1))
        if (left.nonEmpty) assert(seen(path) === left)
        else {
          source.addData(2)
          writeStream(df, path, checkpoint)
          assert(seen(path) === (if (at == ActingCommit.AtCommit) Seq(2) else Seq(1, 2)))
        }
      }
    }
  }

  test("writes obey the log of a stream in a session that ignores logs") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    def ignoring(body: => Unit): Unit =
      withConf("spark.sql.streaming.fileStreamSink.ignoreMetadata" -> "true")(body)
    def assertRefused(body: => Unit): Unit = {
      val error = intercept[VariantShreddedException](ignoring(body))
      assert(error.getMessage.contains("the log of a streaming query"))
    }
    source.addData(0 until 3)
    writeStream(df, path, checkpoint, Seq("p"))
    assertRefused(writer(rows(9, 10)).partitionBy("p").mode("append").save(path))
    assertRefused { val _ = spark.sql(s"DELETE FROM variant_shredded.`$path` WHERE p = 1") }
    assert(seen(path) === (0 until 3))
    ignoring(truncate(path))
    assert(!Files.exists(Path.of(path, "_spark_metadata")))
    source.addData(3 until 6)
    writeStream(df, path, checkpoint, Seq("p"))
    assert(seen(path) === (3 until 6))
    ignoring(writer(rows(10, 12)).partitionBy("p").mode("overwrite").save(path))
    assert(seen(path) === Seq(10, 11))
  }

  test("a batch without rows after a truncation tells the schema") {
    val (path, checkpoint) = (newPath(), newPath())
    val (source, df) = stream()
    source.addData(0)
    writeStream(df, path, checkpoint)
    truncate(path)
    source.addData(1)
    writeStream(df.where("n < 0"), path, checkpoint)
    assert(seen(path) === Nil)
    assert(reader.load(path).schema.map(_.name) === df.schema.map(_.name))
  }

  test("TRUNCATE TABLE is for managed tables; DELETE FROM empties an external one") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 4)
    writeStream(df, path, newPath())
    spark.sql(s"CREATE TABLE streamed USING `variant-shredded` LOCATION '$path'")
    try {
      assert(numbers(spark.table("streamed")) === (0 until 4))
      val error = intercept[AnalysisException](spark.sql("TRUNCATE TABLE streamed"))
      assert(error.getMessage.contains("TRUNCATE TABLE on external tables"))
      assert(numbers(spark.table("streamed")) === (0 until 4))
      spark.sql("DELETE FROM streamed")
      assert(spark.table("streamed").count() === 0)
      spark.sql(s"INSERT INTO streamed SELECT 7, 1, parse_json('{\"n\": 7}')")
      assert(numbers(spark.table("streamed")) === Seq(7))
    } finally spark.sql("DROP TABLE streamed")
    ()
  }

  test("clusterBy is refused") {
    val (_, df) = stream()
    val error = intercept[VariantShreddedException] {
      df.writeStream
        .format("variant-shredded")
        .option("checkpointLocation", newPath())
        .clusterBy("n")
        .start(newPath())
    }
    assert(error.getMessage.contains("Clustering"))
  }
}

/**
 * Renames the directory `name` as an object store does, by copying its files. The first time, this
 * ends after one file. A directory is not renamed to one that has files.
 */
private final class CopyingRenames(name: String) extends Watcher {

  private var isInterrupted = false

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
    val from = Path.of(operation.path.toUri.getPath)
    if (operation.kind != "rename" || from.getFileName.toString != name) carryOut
    else {
      val to = from.getParent.toFile.listFiles.find(_.getName.startsWith(s"$name.removed-"))
      if (!isInterrupted) {
        isInterrupted = true
        CopyingRenames.copyOne(from)
        throw new IOException("injected: the rename ends")
      } else if (to.exists(_.list.nonEmpty)) refused.get
      else carryOut
    }
  }
}

private object CopyingRenames {

  /** Copies a file to the place to which the directory is being renamed, by the note of the job. */
  def copyOne(from: Path): Unit = {
    val notes = from.resolveSibling("_variant_shredded_commits").toFile.list()
    val job = notes.find(_.endsWith(".replacing")).get.stripPrefix("_").stripSuffix(".replacing")
    val to = Files.createDirectory(from.resolveSibling(s"${from.getFileName}.removed-$job"))
    val file = from.toFile.listFiles.head
    val _ = Files.copy(file.toPath, to.resolve(file.getName))
  }
}
