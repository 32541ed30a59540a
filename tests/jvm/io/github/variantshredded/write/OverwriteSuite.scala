package io.github.variantshredded.write

import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.SparkException
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types.{
  CalendarIntervalType,
  IntegerType,
  MapType,
  StructType,
  VariantType
}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.VariantVal

/** Directories, modes, the commit, and what is refused. */
class OverwriteSuite extends WriteSuite {

  private def rows(from: Int, until: Int, partition: String): DataFrame =
    spark
      .range(from.toLong, until.toLong, 1, 1)
      .selectExpr(
        "cast(id as int) as n",
        "parse_json(concat('{\"id\": ', id, '}')) as v",
        s"$partition as p"
      )

  private def content(path: Path): Set[(Int, String)] =
    spark.read
      .parquet(path.toString)
      .selectExpr("n", "cast(p as string)", "variant_get(v, '$.id', 'int')")
      .collect()
      .map { row =>
        assert(row.getInt(0) === row.getInt(2))
        row.getInt(0) -> row.getString(1)
      }
      .toSet

  private def partitioned(
      df: DataFrame,
      path: Path,
      mode: String,
      options: (String, String)*
  ): Unit =
    writer(df, path, options :+ ("partitions" -> "p"): _*).mode(mode).partitionBy("p").save()

  private def directories(path: Path): Seq[String] = files(path).map(_.getParent.toString).distinct

  test("partitions are directories; nulls and empty strings go to the default one") {
    val path = newPath()
    val values = Seq("a", null, "", "b/c", "d=e", "ä %")
    val data = values.zipWithIndex.map { case (p, i) => Row(i, value(obj("id" -> Int32(i))), p) }
    val df = spark.createDataFrame(
      spark.sparkContext.parallelize(data, 1),
      StructType.fromDDL("n int, v variant, p string")
    )
    partitioned(df, path, "append")
    assert(
      directories(path).toSet === Set(
        "p=a",
        "p=__HIVE_DEFAULT_PARTITION__",
        "p=b%2Fc",
        "p=d%3De",
        "p=ä %25"
      )
    )
    assert(
      content(path) === Set(0 -> "a", 1 -> null, 2 -> null, 3 -> "b/c", 4 -> "d=e", 5 -> "ä %")
    )
    assert(!fileSchema(path.resolve(files(path).head)).contains(" p "))
    // One file a partition: null and empty are one.
    assert(files(path).size === 5)
  }

  test("with several partition columns no rows get lost between null and empty") {
    val path = newPath()
    val keys = for (p <- Seq(null, "", "x"); q <- Seq("a", "b", null, "")) yield (p, q)
    val data = keys.zipWithIndex.map { case ((p, q), i) =>
      Row(i, value(obj("id" -> Int32(i))), p, q)
    }
    val df = spark.createDataFrame(
      spark.sparkContext.parallelize(data, 1),
      StructType.fromDDL("n int, v variant, p string, q string")
    )
    writer(df, path, "partitions" -> "p,q").partitionBy("p", "q").save()
    val found = spark.read.parquet(path.toString).select("n", "p", "q").collect().toSet
    val expected = keys.zipWithIndex.map { case ((p, q), i) =>
      Row(i, Option(p).filter(_.nonEmpty).orNull, Option(q).filter(_.nonEmpty).orNull)
    }
    assert(found === expected.toSet)
  }

  test("partition columns of other types, as Spark writes them") {
    val df = spark
      .range(0, 4, 1, 2)
      .selectExpr(
        "cast(id as int) as n",
        "parse_json('1') as v",
        "date_add(date'2024-01-01', cast(id as int)) as d",
        "timestamp'2024-01-01 10:00:00.5' as t",
        "cast(id / 2 as decimal(9,2)) as c"
      )
    val ours = newPath()
    writer(df, ours, "partitions" -> "d,t,c").partitionBy("d", "t", "c").save()
    val sparks = newPath()
    df.write.partitionBy("d", "t", "c").parquet(sparks.toString)
    assert(directories(ours) === directories(sparks))
    val other = newPath()
    writer(df, other, "partitions" -> "t", "timeZone" -> "Asia/Tokyo").partitionBy("t").save()
    assert(directories(other).size === 1)
    assert(directories(other) !== directories(ours).map(_.split("/")(1)).distinct)
  }

  test("append keeps what is there") {
    val path = newPath()
    partitioned(rows(0, 3, "'a'"), path, "append")
    partitioned(rows(3, 5, "'a'"), path, "append")
    assert(content(path) === (0 until 5).map(_ -> "a").toSet)
    assert(files(path).size === 2)
  }

  test("overwrite replaces a directory with a colon in its name, and the next write works") {
    val path = newPath()
    partitioned(rows(0, 3, "'a'"), path, "append")
    Files.move(path.resolve("p=a"), path.resolve("p=a:b"))
    partitioned(rows(3, 5, "'b'"), path, "overwrite")
    assert(!Files.exists(path.resolve("p=a:b")))
    partitioned(rows(5, 6, "'b'"), path, "append")
    assert(content(path) === Set(3 -> "b", 4 -> "b", 5 -> "b"))
  }

  test("overwrite replaces all files, and only files that are data") {
    val path = newPath()
    partitioned(rows(0, 3, "'a'"), path, "append")
    Files.createDirectories(path.resolve("_notes"))
    Files.writeString(path.resolve("_notes/0.json"), "{}")
    Files.writeString(path.resolve("notes.txt"), "old")
    partitioned(rows(3, 5, "'b'"), path, "overwrite")
    assert(content(path) === Set(3 -> "b", 4 -> "b"))
    assert(!Files.exists(path.resolve("p=a")))
    assert(!Files.exists(path.resolve("notes.txt")))
    assert(Files.exists(path.resolve("_notes/0.json")))
    assert(Files.exists(path.resolve("_SUCCESS")))
    partitioned(rows(0, 0, "'c'"), path, "overwrite")
    assert(files(path).isEmpty)
  }

  Seq("_delta_log" -> "Delta Lake", ".hoodie" -> "Hudi").foreach { case (log, format) =>
    test(s"no save changes the files of a table of $format") {
      val directory = newPath()
      val path = directory.resolve("t")
      partitioned(rows(0, 3, "'a'"), path, "append")
      Files.createDirectories(path.resolve(log))
      Files.writeString(path.resolve(s"$log/0.json"), "{}")
      val before = files(path)
      val dynamic = "partitionOverwriteMode" -> "dynamic"
      Seq("overwrite" -> Nil, "overwrite" -> Seq(dynamic), "append" -> Nil).foreach {
        case (mode, options) =>
          val e = intercept[Exception](partitioned(rows(3, 5, "'b'"), path, mode, options: _*))
          val ours = Causes.of(e).collectFirst { case found: VariantShreddedException => found }
          assert(ours.exists(_.condition == "UNSUPPORTED_FEATURE"), e)
          assert(
            ours.get.getMessage.contains(s"$path, which is a table of $format, is not supported")
          )
          assert(files(path) === before)
      }
      // A file of a table deeper in the directory is not deleted either.
      val above = intercept[Exception](
        rows(0, 1, "'a'").write
          .format("variant-shredded")
          .mode("overwrite")
          .save(directory.toString)
      )
      assert(Causes.of(above).exists(_.getMessage.contains(s"$path, which is a table of")), above)
      assert(files(path) === before)
    }
  }

  Seq("_delta_log" -> "Delta Lake", ".hoodie" -> "Hudi").foreach { case (log, format) =>
    test(s"no statement changes the files of a table of $format that is read without partitions") {
      val path = newPath()
      writer(rows(0, 3, "'a'"), path).save()
      def create(table: String) = spark.sql(
        s"CREATE TABLE $table (n INT, v VARIANT) USING variant_shredded " +
          s"OPTIONS (recursiveFileLookup 'true') LOCATION '$path'"
      )
      create("earlier")
      try {
        Files.createDirectories(path.resolve(log))
        val before = files(path)
        val inserted = "VALUES (3, parse_json('3'))"
        Seq[() => Any](
          () => create("later"),
          () => spark.sql(s"INSERT INTO earlier $inserted"),
          () => spark.sql(s"INSERT OVERWRITE earlier $inserted")
        ).foreach { statement =>
          val e = intercept[VariantShreddedException](statement())
          assert(e.getMessage.contains(s"$path, which is a table of $format, is not supported"), e)
          assert(files(path) === before)
        }
      } finally spark.sql("DROP TABLE earlier")
    }

    test(s"no stream is written to a table of $format, even if it has no files") {
      val path = newPath()
      Files.createDirectories(path.resolve(log))
      val stream = spark.readStream.format("rate").load().selectExpr("parse_json('1') AS v")
      val e = intercept[Exception] {
        val query = stream.writeStream
          .format("variant-shredded")
          .option("checkpointLocation", newPath().toString)
          .trigger(Trigger.AvailableNow())
          .start(path.toString)
        query.awaitTermination()
      }
      val texts = Causes.of(e).map(_.getMessage).mkString
      assert(texts.contains(s"$path, which is a table of $format, is not supported"), e)
      assert(path.toFile.list().toSeq === Seq(log))
    }
  }

  Seq("up", "old", "p=b").foreach { name =>
    test(s"what a symbolic link points to is not deleted: $name") {
      val (path, other) = (newPath(), newPath())
      partitioned(rows(0, 3, "'a'"), path, "append")
      partitioned(rows(3, 5, "'b'"), other, "append")
      val outside = files(other)
      val to = name match {
        case "up"  => path.getParent
        case "old" => other
        case _     => other.resolve("p=b")
      }
      val link = Files.createSymbolicLink(path.resolve(name), to)
      def refused(partition: String, options: (String, String)*): Unit = {
        val e = intercept[VariantShreddedException](
          partitioned(rows(5, 6, partition), path, "overwrite", options: _*)
        )
        assert(e.getMessage.contains(s"behind the symbolic link 'file:$link'"), e)
        assert(files(other) === outside)
        assert(files(path.resolve("p=a")).size === 1)
      }
      val dynamic = "partitionOverwriteMode" -> "dynamic"
      refused("'a'")
      if (name == "p=b") refused("'b'", dynamic)
      // Partitions that are no links can be replaced, and without the link the others too.
      if (name == "p=b") partitioned(rows(6, 7, "'a'"), path, "overwrite", dynamic)
      Files.delete(link)
      partitioned(rows(7, 8, "'a'"), path, "overwrite")
      assert(content(path) === Set(7 -> "a"))
      assert(files(other) === outside)
    }
  }

  test("a table whose directory is a symbolic link is overwritten") {
    val (path, there) = (newPath(), newPath())
    partitioned(rows(0, 3, "'a'"), there, "append")
    Files.createSymbolicLink(path, there)
    partitioned(rows(3, 5, "'b'"), path, "overwrite")
    assert(content(there) === Set(3 -> "b", 4 -> "b"))
  }

  test("a table can be overwritten with what was read from it") {
    val path = newPath()
    partitioned(rows(0, 4, "'a'"), path, "append")
    val half = spark.read.parquet(path.toString).where("n % 2 = 0").select("n", "v", "p")
    partitioned(half, path, "overwrite")
    assert(content(path) === Set(0 -> "a", 2 -> "a"))
  }

  test("dynamic overwrite replaces the partitions that get rows, by option and by configuration") {
    val path = newPath()
    partitioned(rows(0, 2, "'a'"), path, "append")
    partitioned(rows(2, 4, "'b'"), path, "append")
    partitioned(rows(4, 5, "'b'"), path, "overwrite", "partitionOverwriteMode" -> "DYNAMIC")
    assert(content(path) === Set(0 -> "a", 1 -> "a", 4 -> "b"))
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try {
      partitioned(rows(5, 6, "'c'"), path, "overwrite")
      assert(content(path) === Set(0 -> "a", 1 -> "a", 4 -> "b", 5 -> "c"))
      partitioned(rows(6, 7, "'a'"), path, "overwrite", "partitionOverwriteMode" -> "static")
      assert(content(path) === Set(6 -> "a"))
      // A table without partitions has nothing to choose from.
      val plain = newPath()
      writer(rows(0, 1, "'a'"), plain).save()
      writer(rows(1, 2, "'a'"), plain).mode("overwrite").save()
      assert(content(plain) === Set(1 -> "a"))
    } finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    val e = intercept[VariantShreddedException](
      partitioned(rows(6, 7, "'a'"), path, "overwrite", "partitionOverwriteMode" -> "some")
    )
    assert(e.getMessage.contains("Option 'partitionOverwriteMode' is 'some'"))
  }

  test("overwrite by filter replaces the partitions that match") {
    import org.apache.spark.sql.connector.expressions.{Expressions, Literal}
    import org.apache.spark.sql.connector.expressions.filter.{And, Predicate}
    import org.apache.spark.sql.types.StringType
    import org.apache.spark.unsafe.types.UTF8String

    val columns = StructType.fromDDL("day int, p string").fields.toSeq
    def number(value: Integer): Literal[_] = Expressions.literal(value.intValue)
    def text(word: String): Literal[_] = new Literal[UTF8String] {
      override def value(): UTF8String = UTF8String.fromString(word)
      override def dataType() = StringType
      override def children() = Array.empty
    }
    def predicate(name: String, column: String, values: Literal[_]*) =
      new Predicate(name, (Expressions.column(column) +: values).toArray)
    def filter(predicates: Predicate*) = PartitionFilter(predicates, columns, "UTC")

    val one = filter(predicate("=", "day", number(1))).get
    assert(one.matches(Seq("day=1", "p=a")) && one.matches(Seq("DAY=01", "p=a")))
    assert(!one.matches(Seq("day=2", "p=a")) && !one.matches(Seq("day=x", "p=a")))
    assert(!one.matches(Seq("day=__HIVE_DEFAULT_PARTITION__", "p=a")) && !one.matches(Seq("p=1")))
    assert(!one.matches(Nil))
    val both =
      filter(new And(predicate("<=>", "day", number(1)), predicate("=", "p", text("b/c")))).get
    assert(both.matches(Seq("day=1", "p=b%2Fc")) && !both.matches(Seq("day=1", "p=b")))
    val nulls = filter(predicate("IS_NULL", "p")).get
    assert(
      nulls.matches(Seq("day=1", "p=__HIVE_DEFAULT_PARTITION__")) && !nulls.matches(
        Seq("day=1", "p=a")
      )
    )
    // Rows with an empty string have gone to the partition of nulls, which nobody asked to replace.
    val empty = intercept[AnalysisException](filter(predicate("=", "p", text(""))))
    assert(empty.getMessage.contains("([p=]) contains an empty partition column value"))
    // A value of another type is not the same as no partition.
    assert(filter(predicate("=", "day", text("1"))).isEmpty)
    assert(filter().get.matches(Nil))
    assert(filter(predicate(">", "day", number(1))).isEmpty)
    assert(filter(predicate("=", "n", number(1))).isEmpty)
  }

  test("a task that fails leaves the old data, and no file that a reader sees") {
    val path = newPath()
    partitioned(rows(0, 3, "'a'"), path, "append")
    // The other task may still run when the job has failed, and make its file and directory again.
    def seen() = files(path).filterNot(_.startsWith("_temporary"))
    val before = seen()
    val failing = udf((n: Int) => if (n == 7) throw new IllegalStateException("stop") else n)
    val bad = rows(4, 9, "'a'").repartition(2).select(failing(col("n")).as("n"), col("v"), col("p"))
    Seq(
      "append" -> Nil,
      "overwrite" -> Nil,
      "overwrite" -> Seq("partitionOverwriteMode" -> "dynamic")
    )
      .foreach { case (mode, options) =>
        intercept[SparkException](partitioned(bad, path, mode, options: _*))
        assert(seen() === before, mode)
        assert(content(path) === (0 until 3).map(_ -> "a").toSet)
      }
    // Also when it fails after the file was begun.
    intercept[SparkException](writer(bad.drop("p"), newPath(), "inferRows" -> "1").save())
  }

  test("a commit that fails leaves the old data") {
    val path = newPath()
    partitioned(rows(0, 3, "'a'"), path, "append")
    val before = files(path)
    withProtocol(classOf[FailingCommitProtocol]) {
      intercept[Exception](partitioned(rows(3, 5, "'a'"), path, "overwrite"))
      intercept[Exception](partitioned(rows(3, 5, "'a'"), path, "append"))
    }
    assert(files(path) === before)
    assert(content(path) === (0 until 3).map(_ -> "a").toSet)
  }

  test("a protocol that deletes with its commit is told what to delete") {
    val path = newPath()
    partitioned(rows(0, 3, "'a'"), path, "append")
    val before = files(path).map(_.getFileName.toString)
    withProtocol(classOf[DeletingCommitProtocol]) {
      partitioned(rows(3, 5, "'a'"), path, "overwrite")
    }
    assert(content(path) === Set(3 -> "a", 4 -> "a"))
    assert(DeletingCommitProtocol.deleted.toSeq === before)
  }

  private def withProtocol(protocol: Class[_])(body: => Unit): Unit = {
    spark.conf.set("spark.sql.sources.commitProtocolClass", protocol.getName)
    try body
    finally spark.conf.unset("spark.sql.sources.commitProtocolClass")
  }

  test("a query that fails before its tasks start leaves nothing") {
    val path = newPath()
    intercept[Exception] {
      writer(rows(0, 1, "'a'").where("n = (select max(raise_error('stop')) from range(1))"), path)
        .save()
    }
    assert(!Files.exists(path))
  }

  private val good = new VariantVal(Array[Byte](12, 7), Array[Byte](1, 0, 0))
  private val bad = new VariantVal(Array[Byte](2, 1, 7, 0, 1, 0), Array[Byte](1, 0, 0))

  /** Asserts that writing `rows` fails because of a Variant in `column`. */
  private def failsAt(column: String, ddl: String, rows: Seq[Row], option: (String, String)*) = {
    val df = spark.createDataFrame(spark.sparkContext.parallelize(rows, 1), StructType.fromDDL(ddl))
    val e = intercept[Exception](written(df, option: _*))
    val ours = Causes
      .of(e)
      .collectFirst { case ours: VariantShreddedException =>
        ours
      }
      .get
    assert(ours.getCondition === "MALFORMED_VARIANT")
    assert(ours.location.column === Some(column))
  }

  test("a malformed Variant fails the job with its column and path") {
    Seq("infer", "none", """{"s.w": "a int"}""").foreach { option =>
      failsAt("s.w", "s struct<w variant>", Seq(Row(Row(bad))), "shredding" -> option)
    }
  }

  test("a malformed Variant is found wherever it is") {
    val ddl = "v variant, w variant, s struct<v variant>"
    Seq("infer", "none", """{"v": "infer", "w": "a int"}""", """{"v": "a int", "w": "infer"}""")
      .foreach { option =>
        Seq("1", "4").foreach { sample =>
          val options = Seq("shredding" -> option, "inferRows" -> sample)
          val first = Row(good, good, Row(good))
          failsAt("v", ddl, Seq(first, Row(bad, good, Row(good))), options: _*)
          failsAt("w", ddl, Seq(first, Row(good, bad, Row(good))), options: _*)
          failsAt("s.v", ddl, Seq(first, Row(good, good, Row(bad))), options: _*)
        }
      }
  }

  test("maxRecordsPerFile, by option and by configuration") {
    val df = rows(0, 10, "'a'")
    assert(
      files(written(df, "maxRecordsPerFile" -> "4")).map(_.toString.replaceAll(".*-c", "c")) ===
        Seq("c000.snappy.parquet", "c001.snappy.parquet", "c002.snappy.parquet")
    )
    val path = newPath()
    partitioned(df, path, "append", "maxRecordsPerFile" -> "3")
    assert(files(path).size === 4)
    assert(content(path).size === 10)
    spark.conf.set("spark.sql.files.maxRecordsPerFile", "5")
    try assert(files(written(df)).size === 2)
    finally spark.conf.unset("spark.sql.files.maxRecordsPerFile")
  }

  test("a job writes one empty file if it has no rows, and none for its empty tasks") {
    val none = rows(0, 0, "'a'")
    assert(files(written(none)).size === 1)
    assert(spark.read.parquet(written(none).toString).schema.fieldNames === Array("n", "v", "p"))
    // Rows in the last of four tasks; the first one writes the empty file.
    val some = spark.range(0, 8, 1, 4).where("id > 6").selectExpr("id", "parse_json('1') as v")
    assert(files(written(some)).size === 2)
  }

  test("what Spark's file sources refuse is refused") {
    def analysis(df: => DataFrame, options: (String, String)*): AnalysisException =
      intercept[AnalysisException](written(df, options: _*))
    assert(analysis(spark.sql("select 1 as a, 2 as A")).getCondition === "COLUMN_ALREADY_EXISTS")
    assert(analysis(spark.range(1).select()).getMessage.contains("schema"))
    // Types that Spark lets no query write, but a caller of the interface might.
    def planned(ddl: StructType) =
      VariantWrite(ddl, "path", CaseInsensitiveStringMap.empty, Nil, WriteMode.Append, true)
    assert(
      intercept[AnalysisException](
        planned(new StructType().add("i", CalendarIntervalType))
      ).getCondition === "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE"
    )
    val keys = new StructType().add("m", MapType(VariantType, IntegerType))
    assert(
      intercept[VariantShreddedException](planned(keys)).getMessage
        .contains("A Variant in the keys of a map, as in the column 'm', is not supported.")
    )
    assert(
      analysis(
        spark.sql("select 1 as p"),
        "partitions" -> "p"
      ).getCondition === "ALL_PARTITION_COLUMNS_NOT_ALLOWED"
    )
    assert(
      analysis(
        spark.sql("select 1 as a, parse_json('1') as p"),
        "partitions" -> "p"
      ).getCondition ===
        "INVALID_PARTITION_COLUMN_DATA_TYPE"
    )
  }

  test("options are checked when the query is planned") {
    def refused(options: (String, String)*): String =
      intercept[VariantShreddedException](written(rows(0, 1, "'a'"), options: _*)).getMessage
    assert(
      refused("inferRows" -> "0") ===
        "[INVALID_VARIANT_SHREDDED_OPTION] Option 'inferRows' is '0', expected a whole number from 1 to 1000000."
    )
    Seq(
      "inferRows" -> "many",
      "inferBytes" -> "3g",
      "inferBytes" -> "x",
      "maxShreddedColumns" -> "-1",
      "maxShreddedDepth" -> "513",
      "minFrequency" -> "1.5",
      "minFrequency" -> "NaN",
      "minTypeShare" -> "-0.1",
      "maxRecordsPerFile" -> "x",
      "partitionOverwriteMode" -> "some",
      "timeZone" -> "Nowhere",
      "parquet.page.size" -> "abc",
      "parquet.page.size" -> "-1",
      "parquet.page.size" -> "63",
      "parquet.dictionary.page.size" -> "1",
      "parquet.writer.version" -> "3",
      "parquet.bloom.filter.fpp#v.value" -> "2"
    ).foreach { option =>
      assert(refused(option).contains(s"Option '${option._1}' is '${option._2}'"))
    }
    Seq("level", "workers").map(name => s"parquet.compression.codec.zstd.$name").foreach { name =>
      assert(refused("compression" -> "zstd", name -> "x").contains(s"Option '$name' is 'x'"))
      val snappy = written(rows(0, 1, "'a'"), "compression" -> "snappy", name -> "x")
      assert(files(snappy).size === 1)
    }
    assert(refused("shredding" -> """{"x": "int"}""").contains("there is no column 'x'"))
    // Partition columns are no data.
    val e = intercept[VariantShreddedException](
      partitioned(rows(0, 1, "'a'"), newPath(), "append", "shredding" -> """{"p": "int"}""")
    )
    assert(e.getMessage.contains("there is no column 'p'"))
    intercept[Exception](written(rows(0, 1, "'a'"), "compression" -> "none such"))
    assert(files(written(rows(0, 1, "'a'"), "INFERROWS" -> "5", "inferBytes" -> "1k")).size === 1)
  }
}
