package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import scala.collection.mutable

import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{
  CatalogTable,
  CatalogTableType,
  ExternalCatalogEventListener,
  TableEvent
}
import org.apache.spark.sql.types.StringType

/** `saveAsTable` in the mode `overwrite` if the old table and the new one have other formats. */
class ReplacedFormatSuite extends TableSuite {

  private def metadata(table: String): CatalogTable =
    spark.sessionState.catalog.getTableMetadata(TableIdentifier(table))

  /** Makes a table of another format with the numbers from 0 to 5. */
  private def created(table: String, format: String, path: Option[String] = None): Unit = {
    val old = rows(0, 6).selectExpr("n", "to_json(v) AS v", "p")
    val writer = old.write.format(format).partitionBy("p")
    path.fold(writer)(writer.option("path", _)).saveAsTable(table)
  }

  private def variants(table: String) =
    spark.table(table).selectExpr("n", "parse_json(v) AS v", "p")

  private def isAsBefore(table: String, format: String): Unit = {
    assert(metadata(table).provider.contains(format))
    assert(numbers(variants(table)) === (0 until 6))
    val _ = assert(traces(table) === Set(table))
  }

  Seq("parquet", "csv", "orc").foreach { format =>
    test(s"a table of the format $format is replaced by one that is partitioned as it says") {
      withTable { t =>
        created(t, format)
        writer(variants(t).where("n >= 2")).mode("overwrite").partitionBy("p").saveAsTable(t)
        assert(numbers(spark.table(t)) === (2 until 6))
        assert(partitions(directory(t).toString) === Seq("p=0", "p=1", "p=2"))
        assert(metadata(t).tableType === CatalogTableType.MANAGED)
        assert(traces(t) === Set(t))
        writer(rows(6, 8)).mode("append").partitionBy("p").saveAsTable(t)
        writer(rows(8, 9)).mode("append").saveAsTable(t)
        spark.sql(s"INSERT INTO $t VALUES (9, parse_json('{\"n\": 9}'), 0)")
        assert(numbers(spark.table(t)) === (2 until 10))
        spark.sql(s"DELETE FROM $t WHERE p = 1")
        spark.sql(s"ALTER TABLE $t DROP PARTITION (p = 2)")
        assert(numbers(spark.table(t)) === Seq(3, 6, 9))
      }
    }

    test(s"a partitioned table of the format $format is replaced by CREATE OR REPLACE TABLE") {
      withTable { t =>
        created(t, format)
        spark.sql(
          s"CREATE OR REPLACE TABLE $t USING variant_shredded PARTITIONED BY (p) AS " +
            s"SELECT n, parse_json(v) AS v, p FROM $t WHERE n < 4"
        )
        assert(numbers(spark.table(t)) === (0 until 4))
        assert(traces(t) === Set(t))
      }
    }

    test(s"a table of the format $format stays as it was if it cannot be replaced") {
      withTable { t =>
        created(t, format)
        val new_ = variants(t).coalesce(1)
        def refused(save: => Unit): Throwable = {
          val error = intercept[Exception](save)
          isAsBefore(t, format)
          error
        }
        val failing = new_.selectExpr("n", "p", "if(n = 1, raise_error('boom'), v) AS v")
        refused(writer(failing).mode("overwrite").saveAsTable(t))
        val misspelt = refused {
          writer(new_).option("shreding", "none").mode("overwrite").saveAsTable(t)
        }
        assert(misspelt.getMessage.contains("shredding"), misspelt)
        val schema = refused {
          writer(new_).option("shredding", "a nosuchtype").mode("overwrite").saveAsTable(t)
        }
        assert(schema.getMessage.contains("INVALID_SHREDDING_SPECIFICATION"), schema)
        val buckets = refused(writer(new_).bucketBy(2, "n").mode("overwrite").saveAsTable(t))
        assert(
          buckets.getMessage ===
            "[UNSUPPORTED_FEATURE] Bucketing is not supported. Write without bucketBy and sortBy."
        )
        val clusters = refused(writer(new_).clusterBy("n").mode("overwrite").saveAsTable(t))
        assert(clusters.getMessage.startsWith("[UNSUPPORTED_FEATURE] Clustering"), clusters)
        refused(writer(new_).partitionBy("nowhere").mode("overwrite").saveAsTable(t))
        val twice = new_.selectExpr("n", "v", "p", "p AS P")
        refused(writer(twice).mode("overwrite").saveAsTable(t))
      }
    }
  }

  test("an external table is replaced at its location, at another one and by a managed table") {
    val (path, other) = (newPath(), newPath())
    withTable { t =>
      created(t, "parquet", Some(path))
      writer(variants(t).where("n >= 2"))
        .mode("overwrite")
        .option("path", path)
        .partitionBy("p")
        .saveAsTable(t)
      assert(numbers(spark.table(t)) === (2 until 6))
      assert(numbers(reader.load(path)) === (2 until 6))
      assert(metadata(t).tableType === CatalogTableType.EXTERNAL)
    }
    withTable { t =>
      created(t, "parquet", Some(other))
      val files = dataFiles(other)
      writer(variants(t)).mode("overwrite").option("path", newPath()).saveAsTable(t)
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(dataFiles(other) === files)
    }
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v STRING) USING parquet PARTITIONED BY (p INT) LOCATION '$other'"
      )
      spark.sql(s"MSCK REPAIR TABLE $t")
      writer(variants(t)).mode("overwrite").partitionBy("p").saveAsTable(t)
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(metadata(t).tableType === CatalogTableType.MANAGED)
      assert(
        numbers(spark.read.parquet(other).selectExpr("n", "parse_json(v) AS v")) === (0 until 6)
      )
    }
  }

  test("options, the comment and the database are those of the new table") {
    spark.sql("CREATE DATABASE other_formats")
    try {
      val name = "other_formats.numbers"
      spark.range(3).write.saveAsTable(name)
      writer(rows(0, 3).withColumnRenamed("p", "a.b"))
        .mode("overwrite")
        .option("comment", "new")
        .option("compression", "gzip")
        .partitionBy("`a.b`")
        .saveAsTable(name)
      val table =
        spark.sessionState.catalog.getTableMetadata(
          TableIdentifier("numbers", Some("other_formats"))
        )
      assert(table.comment.contains("new"))
      assert(table.partitionColumnNames === Seq("a.b"))
      val files = dataFiles(Path.of(table.location).toString)
      assert(files.nonEmpty && files.forall(_.endsWith(".gz.parquet")), files)
      assert(numbers(spark.table(name)) === (0 until 3))
    } finally {
      val _ = spark.sql("DROP DATABASE other_formats CASCADE")
    }
  }

  test("the new table has the default collation of its database") {
    withConf("spark.sql.collation.schemaLevel.enabled" -> "true") {
      spark.sql("CREATE DATABASE collated DEFAULT COLLATION UTF8_LCASE")
      try {
        Seq("new", "replaced").foreach { name =>
          if (name == "replaced") spark.range(3).write.saveAsTable(s"collated.$name")
          writer(rows(0, 3)).mode("overwrite").saveAsTable(s"collated.$name")
          spark.sql(s"ALTER TABLE collated.$name ADD COLUMN s STRING")
          val dataType = spark.table(s"collated.$name").schema("s").dataType
          assert(dataType === StringType("UTF8_LCASE"), name)
        }
      } finally {
        val _ = spark.sql("DROP DATABASE collated CASCADE")
      }
    }
  }

  test("a table of this format is replaced by a partitioned one of another format") {
    withTable { t =>
      writer(rows(0, 6)).partitionBy("p").saveAsTable(t)
      val old = rows(6, 9).selectExpr("n", "to_json(v) AS v", "p")
      old.write.format("parquet").mode("overwrite").partitionBy("p").saveAsTable(t)
      assert(metadata(t).provider.contains("parquet"))
      assert(partitions(directory(t).toString) === Seq("p=0", "p=1", "p=2"))
      assert(numbers(variants(t)) === (6 until 9))
      old.write.format("parquet").mode("append").partitionBy("p").saveAsTable(t)
      assert(numbers(variants(t)) === Seq(6, 6, 7, 7, 8, 8))
      assert(traces(t) === Set(t))
      assert(Files.list(directory(t)).noneMatch(_.getFileName.toString.contains("variant")))
    }
  }

  test("a view, and a table of another format in another mode, are not replaced") {
    withTable { t =>
      spark.sql(s"CREATE VIEW $t AS SELECT 1 AS n")
      intercept[AnalysisException](writer(rows(0, 1)).mode("overwrite").saveAsTable(t))
      assert(spark.table(t).head().getInt(0) === 1)
    }
    withTable { t =>
      created(t, "parquet")
      intercept[AnalysisException](writer(rows(0, 1)).saveAsTable(t))
      intercept[AnalysisException](writer(rows(0, 1)).mode("append").saveAsTable(t))
      writer(rows(0, 1)).mode("ignore").saveAsTable(t)
      isAsBefore(t, "parquet")
    }
  }

  test("the files of an external table that is replaced in place are not purged with its entry") {
    def changes(replacement: => Unit): Seq[String] = {
      val seen = mutable.Buffer.empty[String]
      val listener: ExternalCatalogEventListener = {
        case event: TableEvent if event.name.contains("_replaced_") =>
          seen += event.getClass.getSimpleName: Unit
        case _ => ()
      }
      spark.sharedState.externalCatalog.addListener(listener)
      try replacement
      finally spark.sharedState.externalCatalog.removeListener(listener)
      seen.toSeq.filterNot(_.contains("Rename"))
    }
    def purged(table: String): String = {
      val path = newPath()
      created(table, "parquet", Some(path))
      spark.sql(s"ALTER TABLE $table SET TBLPROPERTIES ('external.table.purge' = 'true')")
      path
    }
    def replaced(table: String, location: String): Unit =
      writer(variants(table)).mode("overwrite").option("path", location).saveAsTable(table)
    val drops = Seq("DropTablePreEvent", "DropTableEvent")
    withTable { t =>
      val path = purged(t)
      assert(changes(replaced(t, path)) === Seq("AlterTablePreEvent", "AlterTableEvent") ++ drops)
      assert(numbers(spark.table(t)) === (0 until 6))
    }
    withTable { t =>
      purged(t)
      assert(changes(replaced(t, newPath())) === drops)
    }
  }
}
