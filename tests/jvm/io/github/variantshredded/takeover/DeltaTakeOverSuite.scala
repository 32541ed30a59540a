package io.github.variantshredded.takeover

import java.nio.file.{Files, Path}

import io.github.variantshredded.VariantShreddedExtensions
import io.github.variantshredded.fuzz.DuckDbFile
import io.github.variantshredded.testing.DataFiles
import org.apache.spark.sql.DataFrame

/** Tables of Delta Lake, read by this source and by Delta Lake. */
class DeltaTakeOverSuite extends ExistingTablesSuite("delta") {

  override protected def sessionSettings: Map[String, String] = Map(
    "spark.sql.extensions" ->
      s"io.delta.sql.DeltaSparkSessionExtension,${classOf[VariantShreddedExtensions].getName}",
    "spark.sql.catalog.spark_catalog" -> "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions" -> "1",
    "spark.databricks.delta.writeChecksumFile.enabled" -> "false"
  )

  private def values: DataFrame = spark
    .range(200)
    .selectExpr(
      "id",
      "CAST(id % 3 AS INT) AS p",
      """parse_json(concat('{"a": ', id, ', "b": "', id % 7, '"}')) AS v"""
    )

  private def withTable(properties: String*)(test: String => Unit): Unit = {
    val name = s"t_${java.util.UUID.randomUUID.toString.replace("-", "")}"
    val all = "'delta.enableVariantShredding' = 'true'" +: properties
    spark.sql(
      s"CREATE TABLE $name (id BIGINT, p INT, v VARIANT) USING delta PARTITIONED BY (p) " +
        s"TBLPROPERTIES (${all.mkString(", ")})"
    )
    try {
      values.repartition(1).write.insertInto(name)
      test(name)
    } finally { val _ = spark.sql(s"DROP TABLE $name") }
  }

  private def same(query: String): Seq[String] = same(spark.sql(query))

  private def same(query: String, takenOver: Boolean): Seq[String] =
    same(spark.sql(query), takenOver)

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
      same(s"SELECT v:a::int FROM $table JOIN few ON p = q WHERE k = 2")
    }
  }

  test("time travel and files that Delta Lake has removed") {
    withTable() { table =>
      val _ =
        spark.sql(s"INSERT OVERWRITE $table SELECT id, p, v FROM $table WHERE v:a::int >= 100")
      assert(same(s"SELECT count(v:a), min(v:a::int) FROM $table") == Seq("[100,100]"))
      val before = s"SELECT count(v:a), min(v:a::int) FROM $table VERSION AS OF 1"
      assert(same(before) == Seq("[200,0]"))
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

  test("deletion vectors, in several splits") {
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id % 3 = 1 AND id < 150")
      withConf("spark.sql.files.maxPartitionBytes" -> "500") {
        assert(same(s"SELECT count(v:a), sum(id) FROM $table") == Seq("[150,16175]"))
      }
    }
  }

  test("mapped columns are left to Delta Lake") {
    withTable("'delta.columnMapping.mode' = 'name'") { table =>
      spark.sql(s"ALTER TABLE $table RENAME COLUMN v TO w")
      same(s"SELECT sum(w:a::int) FROM $table", takenOver = false)
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

  test("subqueries are left to Delta Lake") {
    withTable() { table =>
      same(s"SELECT id FROM $table WHERE v:a::int = (SELECT max(v:a::int) FROM $table)")
      same(
        s"SELECT id FROM $table x WHERE EXISTS (SELECT 1 FROM $table y WHERE y.v:a::int = x.id + 1 AND y.p = 0)",
        takenOver = false
      )
    }
  }

  test("changes and streams are Delta Lake's") {
    withTable("'delta.enableChangeDataFeed' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE v:a::int = 3")
      same(
        s"SELECT _change_type, v:a::int FROM table_changes('$table', 1) WHERE _change_type = 'delete'",
        takenOver = false
      )
    }
  }
}
