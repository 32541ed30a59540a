package io.github.variantshredded.takeover

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.errors.Causes
import io.github.variantshredded.fuzz.DuckDbFile
import io.github.variantshredded.read.options.{ReadMetric, ReadOptions}
import io.github.variantshredded.testing.DataFiles
import org.apache.spark.SparkException
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types.VariantType

/** Tables of Delta Lake, read by this source and by Delta Lake. */
class DeltaTakeOverSuite extends DeltaTables {

  private def location(table: String): Path =
    Path.of(
      spark.sql(s"DESCRIBE DETAIL $table").head().getAs[String]("location").stripPrefix("file:")
    )

  test("queries on a table") {
    withTable() { table =>
      Seq(
        s"SELECT sum(v:a::int) FROM $table",
        s"SELECT id, p, v:b::string FROM $table WHERE v:a::int < 10",
        s"SELECT v FROM $table WHERE p = 1 AND id < 50",
        s"SELECT p, count(v:a) FROM $table WHERE id > 20 GROUP BY p",
        s"SELECT x.id FROM $table x JOIN $table y ON x.v:a::int = y.id WHERE y.p = 2",
        s"SELECT v:a::int FROM $table UNION ALL SELECT p FROM $table",
        s"SELECT v:a::int FROM $table ORDER BY id LIMIT 3"
      ).foreach(same(_))
      same(s"SELECT sum(id) FROM $table", takenOver = false)
    }
  }

  test("dynamic partition pruning") {
    withTable() { table =>
      spark.range(3).selectExpr("id AS k", "CAST(id AS INT) AS q").createOrReplaceTempView("few")
      val text = s"SELECT v:a::int FROM $table JOIN few ON p = q WHERE k = 2"
      same(text)
      val query = spark.sql(text)
      query.collect()
      assert(query.queryExecution.executedPlan.toString.contains("dynamicpruning"))
    }
  }

  test("time travel and files that Delta Lake has removed") {
    withTable() { table =>
      val _ =
        spark.sql(s"INSERT OVERWRITE $table SELECT id, p, v FROM $table WHERE v:a::int >= 100")
      assert(same(s"SELECT count(v:a), min(v:a::int) FROM $table") == Seq("[100,100]"))
      val time = spark
        .sql(s"DESCRIBE HISTORY $table")
        .where("version = 1")
        .selectExpr("string(timestamp)")
        .head()
        .getString(0)
      for (version <- Seq("VERSION AS OF 1", s"TIMESTAMP AS OF '$time'")) {
        val before = s"SELECT count(v:a), min(v:a::int) FROM $table $version"
        assert(same(before) == Seq("[200,0]"), before)
      }
      for (option <- Seq("versionAsOf" -> "1", "timestampAsOf" -> time)) {
        def read = spark.read.format("delta").options(Map(option)).load(location(table).toString)
        assert(same(read.selectExpr("count(v:a)")) == Seq("[200]"), option)
      }
    }
  }

  test("files that Delta Lake rules out by its statistics are not listed") {
    withTable() { table =>
      spark.sql(
        s"INSERT INTO $table SELECT /*+ REPARTITION(1) */ id + 10000, p, v FROM $table"
      )
      def files(condition: String): Int =
        filesListed(s"SELECT v:a::int FROM $table WHERE $condition")
      // The table has two files in each of its three partitions.
      assert(files("id >= 0") == 6)
      assert(files("id >= 10000") == 3)
      assert(files("id < 10000 AND p = 1") == 1)
      assert(files("id > 50000") == 0)
    }
  }

  test("statements that read and write the table") {
    withTable() { table =>
      spark.sql(s"UPDATE $table SET v = parse_json('{\"a\": -1}') WHERE v:a::int = 7")
      assert(same(s"SELECT count(*) FROM $table WHERE v:a::int = -1") == Seq("[1]"))
      spark.sql(s"DELETE FROM $table WHERE v:a::int < 100")
      assert(same(s"SELECT count(v:a) FROM $table") == Seq("[100]"))
      spark.sql(
        s"""MERGE INTO $table t USING (SELECT id, p, v FROM $table WHERE v:a::int > 150) s
           |ON t.v:a::int = s.v:a::int WHEN MATCHED THEN DELETE""".stripMargin
      )
      assert(same(s"SELECT count(v:a), max(v:a::int) FROM $table") == Seq("[51,150]"))
      spark.sql(s"OPTIMIZE $table")
      assert(same(s"SELECT sum(v:a::int) FROM $table") == Seq("[6375]"))
      spark.sql(s"INSERT INTO $table SELECT id + 1000, p, v FROM $table WHERE v:a::int < 110")
      assert(same(s"SELECT count(v:a) FROM $table") == Seq("[61]"))
    }
  }

  test("deletion vectors") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      same(s"SELECT sum(v:a::int) FROM $table")
      spark.sql(s"DELETE FROM $table WHERE id % 10 = 0 OR v:a::int BETWEEN 50 AND 90")
      assert(same(s"SELECT count(v:a), count(*) FROM $table") == Seq("[144,144]"))
      same(s"SELECT v FROM $table")
      same(s"SELECT p, v:a::int FROM $table WHERE v:b::string = '3'")
      same(s"SELECT id FROM $table WHERE v:a::int > 150 AND p = 2")
      same(s"SELECT count(*) FROM $table WHERE v:a::int = 60")
      assert(spark.sql(s"SELECT v:a::int FROM $table LIMIT 140").collect().length == 140)
      spark.sql(s"UPDATE $table SET v = parse_json('{\"a\": 5000}') WHERE v:a::int = 7")
      assert(same(s"SELECT max(v:a::int), count(v) FROM $table") == Seq("[5000,144]"))
      same(s"SELECT count(v:a) FROM $table VERSION AS OF 1")
      spark.sql(s"REORG TABLE $table APPLY (PURGE)")
      assert(same(s"SELECT count(v:a) FROM $table") == Seq("[144]"))
    }
  }

  test("deletion vectors, in files without page indexes") {
    // DuckDB writes none, so rows cannot be selected before they are decoded.
    val path = folder.resolve("without-indexes")
    Files.createDirectories(path)
    val source = folder.resolve("source").toString
    withConf("spark.sql.variant.writeShredding.enabled" -> "false") {
      values.repartition(1).write.parquet(source)
    }
    DuckDbFile.rewrite(DataFiles.only(Path.of(source)), path.resolve("file.parquet"), None)
    spark.sql(s"CONVERT TO DELTA parquet.`$path`")
    spark.sql(
      s"ALTER TABLE delta.`$path` SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    spark.sql(
      s"DELETE FROM delta.`$path` WHERE id % 10 = 0 OR v:a::int BETWEEN 50 AND 90 OR id > 196"
    )
    assert(same(s"SELECT count(v:a), sum(id) FROM delta.`$path`").size == 1)
    same(s"SELECT id, v:a::int FROM delta.`$path`")
    same(s"SELECT v FROM delta.`$path` WHERE v:a::int > 30 AND id < 120")
    withConf("spark.sql.parquet.columnarReaderBatchSize" -> "7") {
      same(s"SELECT id, v:b::string FROM delta.`$path`")
    }
  }

  test("a page whose rows are all deleted is not read") {
    withConf(
      "parquet.page.row.count.limit" -> "500",
      "parquet.enable.dictionary" -> "false",
      "spark.sql.adaptive.enabled" -> "false"
    ) {
      withTable("'delta.enableDeletionVectors' = 'true'") { table =>
        val document = """concat('{"a": ', id, ', "b": "', sha2(string(id), 256), '"}')"""
        spark
          .range(1000, 11000, 1, 1)
          .selectExpr("id", "7 AS p", s"parse_json($document) AS v")
          .write
          .insertInto(table)
        def read(): (Long, Long) = {
          val query = spark.sql(s"SELECT sum(length(v:b::string)) FROM $table WHERE p = 7")
          query.collect(): Unit
          val scans = query.queryExecution.executedPlan.collect { case scan: BatchScanExec => scan }
          def sum(metric: String) = scans.map(_.metrics(metric).value).sum
          (sum(ReadMetric.BytesRead), sum("pagesSkipped"))
        }
        val (all, none) = read()
        assert(all > 0 && none == 0)
        spark.sql(s"DELETE FROM $table WHERE p = 7 AND id BETWEEN 2000 AND 9499")
        assert(same(s"SELECT count(v:b) FROM $table WHERE p = 7") == Seq("[2500]"))
        val (left, skipped) = read()
        // Three quarters of the rows, and of the pages of each column, are deleted.
        assert(skipped >= 15, s"$left of $all bytes")
        assert(left < all * 0.3)
      }
    }
  }

  test("a limit counts only rows that are not deleted, in files without page indexes") {
    val path = folder.resolve("limited")
    Files.createDirectories(path)
    val source = folder.resolve("limited-source").toString
    withConf("spark.sql.variant.writeShredding.enabled" -> "false") {
      val rows = spark.range(0, 10000, 1, 1).selectExpr("id", "parse_json(string(id)) AS v")
      rows.write.parquet(source)
    }
    val file = path.resolve("file.parquet")
    DuckDbFile.rewrite(DataFiles.only(Path.of(source)), file, None, rowGroup = 2048)
    spark.sql(s"CONVERT TO DELTA parquet.`$path`")
    spark.sql(
      s"ALTER TABLE delta.`$path` SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    spark.sql(s"DELETE FROM delta.`$path` WHERE id % 2048 > 10")
    for (limit <- Seq(5, 11, 12, 30, 100)) {
      val rows = spark.sql(s"SELECT v::int FROM delta.`$path` LIMIT $limit")
      assert(rows.queryExecution.executedPlan.toString.contains(s"PushedLimit: $limit"))
      assert(rows.collect().length == math.min(limit, 55))
    }
  }

  test("deletion vectors, in several splits") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id % 3 = 1 AND id < 150")
      withConf("spark.sql.files.maxPartitionBytes" -> "500") {
        assert(same(s"SELECT count(v:a), sum(id) FROM $table") == Seq("[150,16175]"))
      }
    }
  }

  Seq("name", "id").foreach { mode =>
    test(s"columns that are mapped by $mode") {
      withTable(
        s"'delta.columnMapping.mode' = '$mode'",
        "'delta.enableDeletionVectors' = 'true'"
      ) { table =>
        spark.sql(s"ALTER TABLE $table RENAME COLUMN v TO w")
        spark.sql(s"ALTER TABLE $table RENAME COLUMN p TO `the part`")
        // The names of two columns are exchanged, and a third column gets the name of a dropped one.
        spark.sql(s"ALTER TABLE $table RENAME COLUMN w TO x")
        spark.sql(s"ALTER TABLE $table RENAME COLUMN id TO w")
        spark.sql(s"ALTER TABLE $table RENAME COLUMN x TO id")
        spark.sql(s"DELETE FROM $table WHERE w % 10 = 0")
        Seq(
          s"SELECT sum(id:a::int), sum(w) FROM $table",
          s"SELECT w, `the part`, id:b::string FROM $table WHERE id:a::int < 30",
          s"SELECT id FROM $table WHERE `the part` = 1 AND w < 50",
          s"SELECT `the part`, count(id:a) FROM $table WHERE w > 20 GROUP BY `the part`"
        ).foreach(same(_))
        spark.sql(s"ALTER TABLE $table DROP COLUMN id")
        spark.sql(s"ALTER TABLE $table ADD COLUMN id VARIANT")
        assert(same(s"SELECT count(id), count(id:a), count(*) FROM $table") == Seq("[0,0,180]"))
        spark.sql(s"INSERT INTO $table VALUES (7, 1, parse_json('{\"a\": 70}'))")
        assert(
          same(s"SELECT w, id:a::int, id FROM $table WHERE id IS NOT NULL") ==
            Seq("""[7,70,{"a":70}]""")
        )
      }
    }

    test(s"fields of structs that are mapped by $mode") {
      val name = s"nested_$mode"
      spark.sql(
        s"""CREATE TABLE $name (id INT, s STRUCT<v: VARIANT, n: INT>,
           |  l ARRAY<STRUCT<v: VARIANT, n: INT>>, m MAP<STRING, STRUCT<v: VARIANT, n: INT>>)
           |USING delta TBLPROPERTIES ('delta.columnMapping.mode' = '$mode',
           |  'delta.enableVariantShredding' = 'true')""".stripMargin
      )
      try {
        def insert(from: Int): Unit = {
          val part =
            """named_struct('v', parse_json(concat('{"a": ', id, '}')), 'n', CAST(id AS INT))"""
          val _ = spark.sql(
            s"INSERT INTO $name SELECT CAST(id AS INT), $part, array($part, NULL), map('k', $part) " +
              s"FROM range($from, ${from + 50})"
          )
        }
        insert(0)
        Seq("s", "l.element", "m.value").foreach { parent =>
          spark.sql(s"ALTER TABLE $name RENAME COLUMN $parent.v TO old")
          spark.sql(s"ALTER TABLE $name RENAME COLUMN $parent.n TO v")
          spark.sql(s"ALTER TABLE $name RENAME COLUMN $parent.old TO n")
        }
        insert(50)
        Seq(
          s"SELECT s.n:a::int, s.v FROM $name WHERE s.n:a::int < 60 AND s.v > 40",
          s"SELECT id, l[0].n, l[0].v FROM $name",
          s"SELECT id, m['k'].n:a::int, m['k'].v FROM $name WHERE id > 45",
          s"SELECT s, l, m FROM $name WHERE id BETWEEN 40 AND 60"
        ).foreach(same(_))
        spark.sql(s"ALTER TABLE $name DROP COLUMN s.n")
        spark.sql(s"ALTER TABLE $name ADD COLUMN s.n VARIANT")
        assert(same(s"SELECT count(s.n:a), count(s.v), count(m) FROM $name") == Seq("[0,100,100]"))
      } finally { val _ = spark.sql(s"DROP TABLE $name") }
    }
  }

  test("mapping that begins when the table has files") {
    withTable() { table =>
      spark.sql(s"ALTER TABLE $table SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN v TO w")
      spark.sql(s"ALTER TABLE $table ADD COLUMN v VARIANT")
      spark.sql(
        s"INSERT INTO $table VALUES (500, 1, parse_json('{\"a\": 5}'), parse_json('{\"a\": 6}'))"
      )
      assert(
        same(s"SELECT sum(w:a::int), sum(v:a::int), count(v) FROM $table") ==
          Seq("[19905,6,1]")
      )
      same(s"SELECT id, v, w FROM $table WHERE id > 190")
      same(s"SELECT sum(v:a::int) FROM $table VERSION AS OF 1")
    }
  }

  test("_metadata") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id % 10 = 0")
      same(s"SELECT v:a::int, _metadata.file_path, _metadata.file_name FROM $table WHERE p = 1")
      same(s"SELECT v:a::int, _metadata.row_index, _metadata FROM $table")
      same(
        s"SELECT v:b::string, _metadata.file_size, _metadata.file_modification_time, " +
          s"input_file_name() FROM $table WHERE _metadata.row_index BETWEEN 3 AND 20"
      )
    }
  }

  test("_metadata of a table with row tracking is left to Delta Lake") {
    withTable("'delta.enableRowTracking' = 'true'") { table =>
      spark.sql(s"UPDATE $table SET v = parse_json('{\"a\": 5000}') WHERE v:a::int = 7")
      spark.sql(s"OPTIMIZE $table")
      same(s"SELECT sum(v:a::int) FROM $table")
      Seq("_metadata.row_id, _metadata.row_commit_version", "_metadata.file_name").foreach {
        fields =>
          declined(
            spark.sql(s"SELECT v:a::int, $fields FROM $table"),
            "the query reads _metadata of a table with row tracking"
          )
      }
      // Spark has replaced the Variants by structs when the query around it is planned.
      val ofFiles = s"FROM $table WHERE _metadata.file_name LIKE '%.parquet'"
      val scalars = Seq("max(v:a::int)", "count(v:a)", "max(variant_get(v, '$.b', 'string'))")
      Seq(
        s"SELECT ${scalars.map(call => s"(SELECT $call $ofFiles)").mkString(", ")}",
        s"SELECT id FROM $table WHERE id IN (SELECT v:a::int $ofFiles AND v:a IS NOT NULL)"
      ).foreach(same(_, takenOver = false))
    }
  }

  test("widened types are left to Delta Lake") {
    val name = "widened"
    spark.sql(
      s"CREATE TABLE $name (id INT, s STRUCT<n: SMALLINT>, v VARIANT) USING delta " +
        "TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.enableDeletionVectors' = 'true')"
    )
    val reason = "the types of its columns have been widened"
    try {
      spark.sql(s"INSERT INTO $name SELECT id, struct(id), parse_json(string(id)) FROM range(10)")
      same(s"SELECT id, s, v::int FROM $name")
      spark.sql(s"ALTER TABLE $name ALTER COLUMN s.n TYPE INT")
      spark.sql(s"INSERT INTO $name VALUES (100, struct(100000), parse_json('5'))")
      declined(spark.sql(s"SELECT id, s, v::int FROM $name"), reason)
      spark.sql(s"ALTER TABLE $name ALTER COLUMN id TYPE BIGINT")
      spark.sql(s"DELETE FROM $name WHERE id = 7")
      declined(spark.sql(s"SELECT id, v::int FROM $name WHERE id >= 5"), reason)
    } finally { val _ = spark.sql(s"DROP TABLE $name") }
  }

  test("versions that differ by a deletion vector only") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id < 50")
      spark.sql(s"DELETE FROM $table WHERE id < 70")
      val counts = Seq(1, 2, 3).map { version =>
        s"SELECT count(v:a) AS n, sum(v:a::int) AS total FROM $table VERSION AS OF $version"
      }
      val all = same(counts.mkString(" UNION ALL "))
      assert(all.map(_.takeWhile(_ != ',')) == Seq("[130", "[150", "[200"))
      same(
        s"SELECT count(*) FROM $table x JOIN $table VERSION AS OF 2 y ON x.v:a::int = y.v:a::int " +
          s"JOIN $table VERSION AS OF 1 z ON x.v:a::int = z.v:a::int"
      )
    }
  }

  test("a column that was added, with files that lack it") {
    withTable() { table =>
      spark.sql(s"ALTER TABLE $table ADD COLUMN w VARIANT")
      spark.sql(s"INSERT INTO $table VALUES (1000, 1, parse_json('{\"a\": 1}'), parse_json('5'))")
      same(s"SELECT id, w::int, v:a::int FROM $table WHERE id > 190")
      same(s"SELECT w FROM $table WHERE id > 190")
    }
  }

  test("a partition column that is generated") {
    val table = s"generated_${System.nanoTime()}"
    try {
      spark.sql(s"""CREATE TABLE $table (id INT, v VARIANT, p INT GENERATED ALWAYS AS (id % 3))
                   |USING delta PARTITIONED BY (p)""".stripMargin)
      spark.sql(s"""INSERT INTO $table (id, v) SELECT CAST(id AS INT),
                   |parse_json(concat('{"a":', id, '}')) FROM range(9)""".stripMargin)
      assert(
        same(s"SELECT p, v:a::int FROM $table WHERE p = 1") == Seq("[1,1]", "[1,4]", "[1,7]")
      )
    } finally { val _ = spark.sql(s"DROP TABLE IF EXISTS $table") }
  }

  test("subqueries") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id % 10 = 0")
      spark.range(3).selectExpr("id AS k", "CAST(id AS INT) AS q").createOrReplaceTempView("few")
      Seq(
        s"SELECT id FROM $table WHERE v:a::int = (SELECT max(v:a::int) FROM $table)" -> 2,
        s"SELECT (SELECT sum(v:a::int) FROM $table WHERE p = 1), k FROM few" -> 1,
        s"SELECT id FROM $table x WHERE EXISTS " +
          s"(SELECT 1 FROM $table y WHERE y.v:a::int = x.id + 1 AND y.p = 0)" -> 1,
        s"SELECT id FROM $table WHERE id IN (SELECT v:a::int FROM $table WHERE p = 2)" -> 1,
        s"SELECT id FROM $table WHERE id NOT IN (SELECT v:a::int FROM $table WHERE p = 2)" -> 1,
        s"SELECT k FROM few WHERE k IN (SELECT v:a::int FROM $table WHERE v:b::string = " +
          s"(SELECT max(v:b::string) FROM $table WHERE v:a::int < 3))" -> 2,
        s"SELECT id, (SELECT max(y.v:a::int) FROM $table y WHERE y.p = x.p) FROM $table x" -> 1,
        s"SELECT k, m FROM few, LATERAL (SELECT max(v:a::int) AS m FROM $table WHERE p = q)" -> 1,
        s"SELECT count(*) FROM few WHERE k < " +
          s"(SELECT count(v:a) FROM $table JOIN few ON p = q WHERE k = 2)" -> 1
      ).foreach { case (query, scans) =>
        same(query)
        val plan = spark.sql(query).queryExecution.optimizedPlan.collectWithSubqueries {
          case scan: DataSourceV2ScanRelation => scan
        }
        assert(plan.size == scans, query)
      }
    }
  }

  test("a subquery reads the snapshot that the query reads") {
    withTable() { table =>
      val query = spark.sql(
        s"SELECT count(v:a), (SELECT count(v:a) FROM $table) FROM $table"
      )
      assert(isTakenOver(query))
      spark.sql(s"DELETE FROM $table WHERE id >= 100")
      val row = query.collect().head
      assert(row.getLong(0) == row.getLong(1))
      assert(
        same(s"SELECT count(v:a), (SELECT count(v:a) FROM $table) FROM $table") ==
          Seq("[100,100]")
      )
    }
  }

  test("run-time filters in a subquery") {
    withTable() { table =>
      val facts = s"facts_$table"
      spark
        .range(2000)
        .selectExpr("id % 100 AS k", "id AS x")
        .write
        .partitionBy("k")
        .format("parquet")
        .saveAsTable(facts)
      def query(key: String) = s"SELECT (SELECT count(*) FROM $facts f JOIN $table d " +
        s"ON f.$key = d.id WHERE d.v:a::int IN (5, 7)) AS n"
      try {
        withConf(
          "spark.sql.autoBroadcastJoinThreshold" -> "-1",
          "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold" -> "1"
        )(same(query("x")))
        withConf("spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly" -> "false") {
          same(query("k"))
        }
      } finally { val _ = spark.sql(s"DROP TABLE $facts") }
    }
  }

  test("a subquery in a statement that writes") {
    withTable() { table =>
      spark.sql(
        s"INSERT INTO $table SELECT id + 1000, p, v FROM $table " +
          s"WHERE v:a::int > (SELECT avg(v:a::int) FROM $table) AND EXISTS " +
          s"(SELECT 1 FROM $table y WHERE y.v:a::int = 3)"
      )
      assert(same(s"SELECT count(v:a), sum(v:a::int) FROM $table") == Seq("[300,34850]"))
    }
  }

  test("a subquery with data skipping off is left to Delta Lake") {
    withTable() { table =>
      withConf("spark.databricks.delta.stats.skipping" -> "false") {
        def query =
          spark.sql(s"SELECT id FROM $table WHERE id = (SELECT max(v:a::int) FROM $table)")
        declined(query, "Delta Lake has not chosen the files of the query yet")
        // Spark reads the struct of its own extractions, and not the whole Variant.
        def types = query.queryExecution.optimizedPlan.collectWithSubqueries {
          case relation: LogicalRelation => relation.output.map(_.dataType)
        }
        assert(types == withConf(ReadOptions.TakeOver.name -> "none")(types))
        assert(!types.flatten.contains(VariantType))
      }
    }
  }

  test("statements leave the same table as without this source") {
    def run(table: String): Seq[Seq[String]] = {
      def rows = answer(spark.sql(s"SELECT id, p, v, v:a::int FROM $table"))
      def states(statements: String*): Seq[Seq[String]] = statements.map { statement =>
        val _ = spark.sql(statement).collect()
        rows
      }
      states(
        s"UPDATE $table SET v = parse_json('{\"a\": -1}'), id = id + 1 WHERE v:a::int % 7 = 3",
        s"DELETE FROM $table WHERE v:a::int > 160",
        s"""MERGE INTO $table t USING (SELECT v:a::int AS a, max(p) AS q FROM $table GROUP BY 1) s
           |ON t.v:a::int = s.a AND t.id < 20 WHEN MATCHED AND s.a > 5 THEN DELETE
           |WHEN MATCHED THEN UPDATE SET id = s.a * 1000
           |WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.a, s.q, to_variant_object(struct(s.a)))
           |""".stripMargin,
        s"OPTIMIZE $table",
        s"REORG TABLE $table APPLY (PURGE)",
        s"RESTORE TABLE $table TO VERSION AS OF 3",
        s"INSERT INTO $table REPLACE WHERE p = 1 SELECT id, 1, v FROM $table WHERE v:a::int < 9",
        s"CREATE OR REPLACE TABLE ${table}_clone SHALLOW CLONE $table",
        s"DELETE FROM ${table}_clone WHERE v:a::int < 50",
        s"INSERT OVERWRITE $table SELECT * FROM ${table}_clone"
      ) :+ answer(spark.sql(s"SELECT v:a::int, v FROM ${table}_clone")) :+
        answer(spark.sql(s"SELECT v:a::int, id FROM $table VERSION AS OF 4")) :++
        states(s"VACUUM $table RETAIN 0 HOURS")
    }
    withConf("spark.databricks.delta.retentionDurationCheck.enabled" -> "false") {
      withTable("'delta.enableDeletionVectors' = 'true'") { one =>
        withTable("'delta.enableDeletionVectors' = 'true'") { other =>
          val wanted = withConf(off: _*)(run(one))
          run(other).zip(wanted).zipWithIndex.foreach { case ((on, off), i) =>
            assert(on == off, i)
          }
          Seq(one, other).foreach(table => spark.sql(s"DROP TABLE ${table}_clone"))
        }
      }
    }
  }

  test("streams are Delta Lake's") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"INSERT INTO $table SELECT id + 1000, p, v FROM $table")
      def streamed(name: String): (Seq[String], String) = {
        val rows = spark.readStream.table(table).selectExpr("id", "v:a::int AS a", "v")
        val stream = rows.writeStream
          .format("memory")
          .queryName(name)
          .trigger(Trigger.AvailableNow())
          .start()
        stream.awaitTermination()
        val plan = stream match {
          case wrapper: StreamingQueryWrapper =>
            wrapper.streamingQuery.lastExecution.executedPlan.toString
          case other => fail(s"$other")
        }
        (answer(spark.table(name)), plan)
      }
      val (wanted, _) = withConf(off: _*)(streamed("off"))
      assert(wanted.size == 400)
      val (found, plan) = streamed("on")
      assert(found == wanted)
      assert(!plan.contains("TakenOverFrom"), plan)
      assert(plan.contains("(not variant-shredded: the query is a stream)"), plan)
    }
  }

  test("changes are Delta Lake's") {
    withTable("'delta.enableChangeDataFeed' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE v:a::int = 3")
      same(
        s"SELECT _change_type, v:a::int FROM table_changes('$table', 1) WHERE _change_type = 'delete'",
        takenOver = false
      )
    }
  }

  test("a table whose property says no") {
    withTable("'variantshredded.takeover' = 'false'") { table =>
      declined(
        spark.sql(s"SELECT sum(v:a::int) FROM $table"),
        "its option variantShredded.takeOver is false"
      )
    }
  }

  test("predicates on nested columns are pushed down into a table whose property says no") {
    val name = "nested_predicates"
    spark.sql(
      s"CREATE TABLE $name (id INT, s STRUCT<k: INT>, v VARIANT) USING delta " +
        "TBLPROPERTIES ('variantShredded.takeOver' = 'false')"
    )
    try {
      spark.sql(
        s"INSERT INTO $name SELECT id, named_struct('k', id), v FROM VALUES " +
          "(1, parse_json('1')), (2, parse_json('2')) AS t(id, v)"
      )
      def pushed = spark
        .sql(s"SELECT id, v FROM $name WHERE s.k = 1")
        .queryExecution
        .executedPlan
        .collect { case scan: FileSourceScanExec => scan.metadata("PushedFilters") }
        .mkString
      val wanted = withConf(off: _*)(pushed)
      assert(wanted.contains("EqualTo(s.k,1)"))
      assert(pushed === wanted)
    } finally { val _ = spark.sql(s"DROP TABLE $name") }
  }

  test("rows are in the tasks in which Delta Lake reads them") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"INSERT INTO $table SELECT id + 1000, CAST(sqrt(id) AS INT), v FROM $table")
      spark.sql(s"DELETE FROM $table WHERE id % 7 = 1")
      for ((maxBytes, openCost) <- Seq("700" -> "10", "3000" -> "500"))
        withConf(
          "spark.sql.files.maxPartitionBytes" -> maxBytes,
          "spark.sql.files.openCostInBytes" -> openCost
        ) {
          Seq("", "WHERE p > 2", "WHERE id > 1100").foreach { condition =>
            same(s"SELECT monotonically_increasing_id(), id, v:a::int FROM $table $condition")
          }
        }
    }
  }

  test("a deletion vector is not read for row groups that statistics skip") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id = 7")
      val directory = location(table)
      directory.toFile
        .list()
        .filter(_.endsWith(".bin"))
        .foreach(vector => Files.delete(directory.resolve(vector)))
      val query = s"SELECT id FROM $table WHERE v:a::int > 5000"
      assert(isTakenOver(spark.sql(query)))
      assert(spark.sql(query).collect().isEmpty)
      intercept[SparkException](spark.sql(s"SELECT id FROM $table WHERE v:a::int > 50").collect())
    }
  }

  test("a deletion vector that is missing is an error that names it") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id = 7")
      val directory = location(table)
      val vectors = directory.toFile.list().filter(_.endsWith(".bin"))
      assert(vectors.length === 1)
      Files.delete(directory.resolve(vectors.head))
      val error = intercept[Exception](spark.sql(s"SELECT sum(v:a::int) FROM $table").collect())
      val causes = Causes.of(error)
      assert(causes.exists(cause => String.valueOf(cause.getMessage).contains(vectors.head)))
      assert(!error.getMessage.contains("CORRUPT_PARQUET_FILE"), error.getMessage)
    }
  }

  test("with ignoreCorruptFiles, a file or deletion vector that is missing is an error") {
    for (suffix <- Seq(".parquet", ".bin")) {
      withTable("'delta.enableDeletionVectors' = 'true'") { table =>
        spark.sql(s"DELETE FROM $table WHERE id = 7")
        val directory = location(table)
        Using.resource(Files.walk(directory)) { files =>
          val found = files.iterator.asScala.filter(_.getFileName.toString.endsWith(suffix)).toSeq
          Files.delete(found.filterNot(_.toString.contains("_delta_log")).head)
        }
        withConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
          def query = spark.sql(s"SELECT v:a::int FROM $table")
          def condition = intercept[SparkException](query.collect()).getCondition
          assert(isTakenOver(query))
          assert(condition == "FAILED_READ_FILE.FILE_NOT_EXIST")
          assert(withConf(off: _*)(condition) == "FAILED_READ_FILE.FILE_NOT_EXIST")
        }
      }
    }
  }
}
