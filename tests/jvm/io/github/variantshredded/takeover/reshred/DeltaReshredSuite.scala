package io.github.variantshredded.takeover.reshred

import java.nio.file.{Files, Paths}
import java.util.ConcurrentModificationException

import scala.jdk.CollectionConverters._

import io.github.variantshredded.VariantShreddedDelta
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.takeover.DeltaTables
import io.github.variantshredded.testing.LocalParquet
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.tagobjects.Slow

/** Files of Delta tables that are written anew by this source. */
class DeltaReshredSuite extends DeltaTables {

  private def reshred(table: String, options: (String, String)*): DeltaReshredResult =
    VariantShreddedDelta.reshred(spark, table, options.toMap.asJava)

  private def classicSession: SparkSession = spark match {
    case session: SparkSession => session
    case other                 => fail(s"$other")
  }

  private def rows(table: String): Seq[String] =
    withConf(off: _*)(answer(spark.sql(s"SELECT *, to_json(v) FROM $table")))

  private def history(table: String): Seq[String] =
    spark.sql(s"DESCRIBE HISTORY $table").select("operation").collect().map(_.getString(0)).toSeq

  Seq("none" -> Seq(Slow), "name" -> Nil, "id" -> Nil).foreach { case (mode, tags) =>
    test(s"a table with partitions and deletion vectors, columns mapped by $mode", tags: _*) {
      withTable(
        s"'delta.columnMapping.mode' = '$mode'",
        "'delta.enableDeletionVectors' = 'true'",
        "'delta.enableChangeDataFeed' = 'true'"
      ) { table =>
        spark.sql(s"DELETE FROM $table WHERE id % 10 = 0 OR p = 2")
        spark.sql(s"INSERT INTO $table VALUES (-5, NULL, NULL), (-6, 1, parse_json('[1, null]'))")
        if (mode != "none") spark.sql(s"ALTER TABLE $table RENAME COLUMN p TO part")
        val before = rows(table)
        val version = spark.sql(s"DESCRIBE HISTORY $table").select("version").head().getLong(0)
        val done = reshred(table)
        assert(done.version == version + 1 && done.rows == before.size)
        assert(done.sourceFiles == 4 && done.targetFiles == 4)
        assert(rows(table) == before)
        assert(history(table).head == "REORG")
        same(s"SELECT sum(v:a::int), count(v:b) FROM $table WHERE id > 100")
        same(s"SELECT v FROM $table WHERE id < 50")
        assert(rows(s"$table VERSION AS OF $version") == before)
        val changes = s"SELECT * FROM table_changes('$table', ${version + 1})"
        assert(spark.sql(changes).count() == 0)
        assert(reshred(table).sourceFiles == 0)
        assert(history(table).count(_ == "REORG") == 1)
        spark.sql(s"DELETE FROM $table WHERE id = 13")
        assert(reshred(table).sourceFiles == 1)
        assert(rows(table).size == before.size - 1)
        // The bounds and counts in the log are those of the rows.
        same(s"SELECT count(*), min(id), max(id), count(id) FROM $table", takenOver = false)
        same(s"SELECT count(v:a) FROM $table WHERE id = 12")
      }
    }
  }

  Seq(false, true).foreach { hasDeletions =>
    test(s"statistics in the log still exclude files, with deletion vectors: $hasDeletions") {
      withTable("'delta.enableDeletionVectors' = 'true'") { table =>
        spark.sql(s"ALTER TABLE $table ADD COLUMN d DECIMAL(20, 2)")
        spark.sql(
          s"INSERT INTO $table SELECT /*+ REPARTITION(1) */ id + 10000, p, v, " +
            s"12345678901234567.89BD + id FROM $table"
        )
        if (hasDeletions) spark.sql(s"DELETE FROM $table WHERE id % 10 = 3")
        assert(reshred(table).sourceFiles == 6)
        assert(filesListed(s"SELECT v:a::int FROM $table WHERE id >= 0") == 6)
        assert(filesListed(s"SELECT v:a::int FROM $table WHERE id >= 10000") == 3)
        // As a double, this would be less than the lower bound.
        val least = s"SELECT v:a::int FROM $table WHERE d = 12345678901234567.89BD"
        assert(same(least) == Seq("[0]"))
        // Files that were written before there was a column d have no statistics of it. New
        // statistics say that it has no values there.
        assert(filesListed(least) == (if (hasDeletions) 1 else 4))
      }
    }
  }

  /** Returns an answer, which Delta Lake takes from the log, and not from the rows. */
  private def fromLog(query: String): Seq[String] = {
    val found = spark.sql(query)
    assert(found.queryExecution.optimizedPlan.toString.startsWith("LocalRelation"), query)
    answer(found)
  }

  Seq("none", "name").foreach { mode =>
    test(s"bounds in the log are not those of deleted rows, columns mapped by $mode") {
      val table = s"deleted_bounds_$mode"
      spark.sql(
        s"CREATE TABLE $table (id BIGINT, day DATE, v VARIANT, s STRUCT<x: INT, t: STRING>) " +
          "USING delta TBLPROPERTIES ('delta.enableVariantShredding' = 'true', " +
          s"'delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = '$mode')"
      )
      try {
        spark.sql(
          s"INSERT INTO $table SELECT id, date_add(DATE'2024-01-01', CAST(id AS INT)), " +
            "parse_json('{\"a\": ' || id || '}'), " +
            "named_struct('x', CAST(id AS INT), 't', 't' || id) FROM range(0, 200, 1, 1)"
        )
        if (mode != "none") spark.sql(s"ALTER TABLE $table RENAME COLUMN day TO date")
        val day = if (mode == "none") "day" else "date"
        val bounds = s"SELECT count(*), min(id), max(id), min($day), max($day) FROM $table"
        assert(fromLog(bounds) == Seq("[200,0,199,2024-01-01,2024-07-18]"))
        spark.sql(s"DELETE FROM $table WHERE id IN (0, 199)")
        assert(reshred(table).rows == 198)
        assert(fromLog(bounds) == Seq("[198,1,198,2024-01-02,2024-07-17]"))
        spark.sql(s"DELETE FROM $table WHERE id < 10 OR id > 150")
        assert(answer(spark.sql(bounds)) == Seq("[141,10,150,2024-01-11,2024-05-30]"))
        assert(reshred(table).rows == 141)
        assert(fromLog(bounds) == Seq("[141,10,150,2024-01-11,2024-05-30]"))
        // They leave out the file, and only if it has no such row.
        assert(filesListed(s"SELECT v:a::int FROM $table WHERE id = 151") == 0)
        assert(filesListed(s"SELECT v:a::int FROM $table WHERE s.x = 9") == 0)
        assert(filesListed(s"SELECT v:a::int FROM $table WHERE s.t = 't100'") == 1)
        assert(filesListed(s"SELECT v:a::int FROM $table WHERE $day = DATE'2024-05-30'") == 1)
        assert(reshred(table).sourceFiles == 0)
      } finally { val _ = spark.sql(s"DROP TABLE $table") }
    }
  }

  /** Runs a test on a table whose property lists the columns with statistics in the log. */
  private def withStatisticsOf(listed: String, columns: String, mode: String = "name")(
      test: String => Unit
  ): Unit = {
    val table = s"listed_${java.util.UUID.randomUUID.toString.replace("-", "")}"
    spark.sql(
      s"CREATE TABLE $table ($columns, v VARIANT) USING delta TBLPROPERTIES " +
        "('delta.enableVariantShredding' = 'true', 'delta.enableDeletionVectors' = 'true', " +
        s"'delta.dataSkippingStatsColumns' = '$listed', 'delta.columnMapping.mode' = '$mode')"
    )
    try test(table)
    finally { val _ = spark.sql(s"DROP TABLE $table") }
  }

  private val variant = """parse_json('{"a": ' || id || '}')"""

  test("listed columns with capital letters, mapped by name, have rows after deletes") {
    withStatisticsOf("userId,s.xY", "userId BIGINT, s STRUCT<xY: INT, z: INT>") { table =>
      spark.sql(
        s"INSERT INTO $table SELECT id, named_struct('xY', CAST(id AS INT), 'z', 1), $variant " +
          "FROM range(0, 200, 1, 1)"
      )
      spark.sql(s"DELETE FROM $table WHERE userId = 0")
      assert(reshred(table).rows == 199)
      for (reader <- Seq(Nil, off)) withConf(reader: _*) {
        def found(predicate: String) =
          answer(spark.sql(s"SELECT userId, v:a::int FROM $table WHERE $predicate"))
        assert(found("userId = 5") == Seq("[5,5]"))
        assert(found("userId > 197") == Seq("[198,198]", "[199,199]"))
        assert(found("s.xY = 5") == Seq("[5,5]"))
        assert(found("userId IS NOT NULL").size == 199)
        assert(found("userId IS NULL").isEmpty)
        assert(answer(spark.sql(s"SELECT min(userId), max(userId) FROM $table")) == Seq("[1,199]"))
      }
      assert(fromLog(s"SELECT count(*) FROM $table") == Seq("[199]"))
      assert(reshred(table).sourceFiles == 0)
    }
  }

  test("a listed column whose name in the files is now the name of another column") {
    withStatisticsOf("a", "a BIGINT, c BIGINT", mode = "none") { table =>
      spark.sql(s"ALTER TABLE $table SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN a TO First")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN c TO a")
      spark.sql(s"INSERT INTO $table SELECT id, -1 - id, $variant FROM range(0, 200, 1, 1)")
      spark.sql(s"DELETE FROM $table WHERE First = 0")
      assert(reshred(table).rows == 199)
      assert(answer(spark.sql(s"SELECT a, v:a::int FROM $table WHERE First = 5")) == Seq("[-6,5]"))
      assert(answer(spark.sql(s"SELECT min(First), max(First) FROM $table")) == Seq("[1,199]"))
    }
  }

  test("listed columns in small letters, mapped by name, keep bounds after deletes") {
    withStatisticsOf("id,s.x", "id BIGINT, s STRUCT<x: INT>, other BIGINT") { table =>
      spark.sql(
        s"INSERT INTO $table SELECT id, named_struct('x', CAST(id AS INT)), id, $variant " +
          "FROM range(0, 200, 1, 1)"
      )
      spark.sql(s"DELETE FROM $table WHERE id < 10")
      assert(reshred(table).rows == 190)
      assert(fromLog(s"SELECT count(*), min(id), max(id) FROM $table") == Seq("[190,10,199]"))
      assert(filesListed(s"SELECT v:a::int FROM $table WHERE id = 9") == 0)
      assert(filesListed(s"SELECT v:a::int FROM $table WHERE s.x = 9") == 0)
      assert(same(s"SELECT v:a::int FROM $table WHERE s.x = 10") == Seq("[10]"))
    }
  }

  test("a file that an earlier version has rewritten with the bounds of deleted rows") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      reshred(table)
      val found = DeltaTable(classicSession, table)
      val files = found.filesWithout("another", "tag")
      val wide = files.map { file =>
        val statistics =
          """{"numRecords":67,"minValues":{"id":-7},"maxValues":{"id":777},""" +
            """"nullCount":{"id":0},"tightBounds":false}"""
        val copy = file.path.replace(".parquet", "-copy.parquet")
        val directory = Paths.get(found.path.toUri)
        Files.copy(directory.resolve(file.path), directory.resolve(copy))
        file.rewritten(copy, file.size, 0, Some(statistics), file.tags.head)
      }
      found.replace(files, wide): Unit
      val bounds = s"SELECT min(id), max(id) FROM $table"
      assert(fromLog(bounds) == Seq("[-7,777]"))
      val done = reshred(table)
      assert(done.sourceFiles == 3 && done.rows == 200)
      assert(fromLog(bounds) == Seq("[0,199]"))
      assert(fromLog(s"SELECT count(*) FROM $table") == Seq("[200]"))
      assert(reshred(table).sourceFiles == 0)
    }
  }

  test("statistics are those of columns other than Variants, whatever Delta Lake collects") {
    withConf("spark.databricks.delta.variantShredding.collectVariantDataSkippingStats" -> "true") {
      withTable("'delta.enableDeletionVectors' = 'true'") { table =>
        spark.sql(s"DELETE FROM $table WHERE id IN (0, 199)")
        reshred(table)
        assert(fromLog(s"SELECT min(id), max(id) FROM $table") == Seq("[1,198]"))
        assert(same(s"SELECT id FROM $table WHERE v:a::int >= 198") == Seq("[198]"))
        assert(filesListed(s"SELECT v FROM $table WHERE id = 198") == 1)
      }
    }
  }

  test("the log says how many rows of a file with a deletion vector are live") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id IN (0, 3, 6, 10) OR p = 2")
      val found = DeltaTable(classicSession, table).filesWithout("another", "tag")
      val (marked, others) = found.partition(_.hasDeletionVector)
      val live = spark.table(table).groupBy("p").count().collect().map(_.getLong(1)).toSeq
      assert(marked.flatMap(_.liveRows).sorted == live.sorted && live.sorted == Seq(64, 66))
      assert(others.forall(_.liveRows.isEmpty))
    }
  }

  test("VACUUM removes what a process that has ended leaves behind") {
    withTable() { table =>
      val location = spark.sql(s"DESCRIBE DETAIL $table").select("location").head().getString(0)
      reshred(table)
      val left =
        Paths.get(new java.net.URI(location)).resolve("variant_shredded_of-another/0/x.parquet")
      Files.createDirectories(left.getParent)
      Files.writeString(left, "rows")
      withConf("spark.databricks.delta.retentionDurationCheck.enabled" -> "false") {
        spark.sql(s"VACUUM $table RETAIN 0 HOURS"): Unit
      }
      assert(!Files.exists(left))
      assert(spark.table(table).count() == 200)
    }
  }

  test("options name columns as the table does, which maps them by name") {
    withTable("'delta.columnMapping.mode' = 'name'") { table =>
      spark.sql(s"ALTER TABLE $table ADD COLUMN s STRUCT<w: VARIANT>")
      spark.sql(s"INSERT INTO $table SELECT id, p, v, named_struct('w', v) FROM $table")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN v TO x")
      val before = answer(spark.table(table))
      reshred(
        table,
        "shredding" -> """{"x": "a bigint", "s.w": "b string"}""",
        "clusterBy" -> """{"x": "$.a"}"""
      )
      assert(answer(spark.table(table)) == before)
      val found = schemas(table).mkString
      assert("int64 typed_value".r.findAllIn(found).size == 6, found)
      val e = intercept[VariantShreddedException](reshred(table, "shredding" -> "a bigint"))
      assert(e.getMessage.contains("columns with Variants: 'x', 's.w'"), e.getMessage)
    }
  }

  test("files whose fields change after many rows are replaced by one file each") {
    withTable() { table =>
      spark
        .range(0, 140000, 1, 1)
        .selectExpr(
          "id",
          "CAST(1 AS INT) AS p",
          """parse_json(if(id < 100000, '{"id":1,"old":"x"}', '{"id":1,"new":{"a":2}}')) AS v"""
        )
        .write
        .insertInto(table)
      val done = reshred(table)
      assert(done.sourceFiles == done.targetFiles)
      assert(spark.table(table).where("v:new.a::int = 2").count() == 40000)
    }
  }

  test("a file that cannot be read is an error, whatever the session tolerates") {
    withTable() { table =>
      val before = spark.table(table).count()
      val file = Paths.get(files(table).head.toUri)
      val bytes = Files.readAllBytes(file)
      Files.write(file, bytes.take(bytes.length / 2))
      try
        withConf(
          "spark.sql.files.ignoreCorruptFiles" -> "true",
          "spark.sql.files.ignoreMissingFiles" -> "true"
        ) {
          intercept[Exception](reshred(table))
          assert(history(table).head != "REORG")
        }
      finally { val _ = Files.write(file, bytes) }
      assert(spark.table(table).count() == before)
    }
  }

  test("a table whose files are not shredded before") {
    withTable() { table =>
      spark.sql(s"ALTER TABLE $table SET TBLPROPERTIES ('delta.enableVariantShredding' = 'false')")
      spark.sql(s"INSERT OVERWRITE $table SELECT id, p, v FROM $table")
      spark.sql(s"ALTER TABLE $table SET TBLPROPERTIES ('delta.enableVariantShredding' = 'true')")
      assert(schemas(table).forall(!_.contains("typed_value")))
      reshred(table)
      assert(schemas(table).forall(_.contains("typed_value")))
    }
  }

  test("the property of a table may say TRUE, as Delta Lake ignores the case") {
    withTable() { table =>
      spark.sql(s"ALTER TABLE $table SET TBLPROPERTIES ('delta.enableVariantShredding' = 'TRUE')")
      assert(reshred(table).rows == 200)
    }
  }

  private def files(table: String): Seq[Path] = spark
    .sql(s"SELECT DISTINCT _metadata.file_path FROM $table")
    .collect()
    .toSeq
    .map(row => new Path(row.getString(0)))

  private def schemas(table: String): Seq[String] =
    files(table).map { file =>
      val conf = classicSession.sessionState.newHadoopConf()
      val reader = LocalParquet.open(HadoopInputFile.fromPath(file, conf))
      try reader.getFileMetaData.getSchema.toString
      finally reader.close()
    }

  test("a table that must not have shredded Variants") {
    spark.sql("CREATE TABLE plain (v VARIANT) USING delta")
    try {
      val e = intercept[VariantShreddedException](reshred("plain"))
      assert(e.getMessage.contains("ALTER TABLE plain SET TBLPROPERTIES"))
    } finally { val _ = spark.sql("DROP TABLE plain") }
  }

  test("a shallow clone, whose files are those of another table; streams get no rows") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id % 10 = 0")
      spark.sql(s"CREATE TABLE a_clone SHALLOW CLONE $table")
      try {
        val before = rows("a_clone")
        val done = reshred("a_clone")
        assert(done.rows == 180 && rows("a_clone") == before && rows(table) == before)
        same("SELECT v:a::int, p FROM a_clone")
        spark.readStream
          .option("startingVersion", done.version)
          .table("a_clone")
          .select("id")
          .writeStream
          .format("memory")
          .queryName("of_clone")
          .trigger(Trigger.AvailableNow())
          .start()
          .awaitTermination()
        assert(spark.table("of_clone").count() == 0)
      } finally { val _ = spark.sql("DROP TABLE a_clone") }
      same(s"SELECT sum(v:a::int) FROM $table")
    }
  }

  test("settings of Hadoop hold for all files of the table, and are not in the log") {
    withTable() { table =>
      val location = spark.sql(s"DESCRIBE DETAIL $table").select("location").head().getString(0)
      val before = rows(table)
      val done = reshred(
        "viewfs://mounted/t",
        "fs.viewfs.impl.disable.cache" -> "true",
        "fs.viewfs.mounttable.mounted.link./t" -> location
      )
      assert(done.rows == 200 && rows(table) == before)
      assert(reshred(table).sourceFiles == 0)
      assert(spark.read.text(s"$location/_delta_log/*.json").where("value LIKE '%viewfs%'").isEmpty)
    }
  }

  test("the name of a table that there is none of, or a path without a slash") {
    Seq("nowhere", "no-where", "a.b.c.d").foreach { name =>
      val e = intercept[VariantShreddedException](reshred(name))
      val expected = s"the name of a table, or a path with a slash, such as ./$name."
      assert(e.getMessage.contains(expected))
    }
  }

  test("a directory without a table") {
    val e = intercept[VariantShreddedException](reshred(newPath()))
    assert(e.getMessage.contains("expected a table of Delta Lake"))
  }

  test("a table with row tracking") {
    withTable("'delta.enableRowTracking' = 'true'") { table =>
      val e = intercept[VariantShreddedException](reshred(table))
      assert(e.getMessage.contains("rowTracking"))
    }
  }

  test("changes by others while files are written") {
    withTable("'delta.enableDeletionVectors' = 'false'") { table =>
      def copied(description: DeltaTable): Seq[AddedFile] =
        description.filesWithout("another", "tag").map { file =>
          val copy = file.path.replace(".parquet", "-copy.parquet")
          val directory = Paths.get(description.path.toUri)
          Files.copy(directory.resolve(file.path), directory.resolve(copy))
          file.rewritten(copy, file.size, 0, None, "x" -> "y")
        }
      val first = DeltaTable(classicSession, table)
      val copies = copied(first)
      spark.sql(s"INSERT INTO $table VALUES (1000, 1, parse_json('{\"a\": 1000}'))")
      val _ = first.replace(first.filesWithout("another", "tag"), copies)
      assert(rows(table).size == 201)
      val second = DeltaTable(classicSession, table)
      val more = copied(second)
      spark.sql(s"DELETE FROM $table WHERE p = 1")
      val e = intercept[ConcurrentModificationException](
        second.replace(second.filesWithout("another", "tag"), more)
      )
      assert(e.getMessage.contains("DELTA_CONCURRENT"))
    }
  }
}
