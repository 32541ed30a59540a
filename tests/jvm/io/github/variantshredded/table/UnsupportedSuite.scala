package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat
import org.apache.spark.sql.execution.command.CreateTableLikeCommand

/** What a user may try and this source does not do: one clear error each. */
class UnsupportedSuite extends PathSuite {

  private def assertUnsupported(what: String)(body: => Any): Unit = {
    val error = intercept[VariantShreddedException](body)
    assert(error.condition === "UNSUPPORTED_FEATURE")
    assert(error.getMessage.startsWith(s"[UNSUPPORTED_FEATURE] $what is not supported. "))
  }

  test("buckets and clusters") {
    assertUnsupported("Bucketing")(writer(rows(0, 1)).bucketBy(2, "n").saveAsTable("buckets"))
    assertUnsupported("Bucketing") {
      writer(rows(0, 1)).bucketBy(2, "n").sortBy("p").saveAsTable("buckets")
    }
    assertUnsupported("Bucketing") {
      spark.sql(
        "CREATE TABLE buckets (n INT) USING `variant-shredded` CLUSTERED BY (n) INTO 2 BUCKETS"
      )
    }
    assertUnsupported("Clustering")(writer(rows(0, 1)).clusterBy("n").save(newPath()))
    assertUnsupported("Clustering") {
      spark.sql("CREATE TABLE clusters (n INT) USING `variant-shredded` CLUSTER BY (n)")
    }
    // Spark's own refusals.
    val error =
      intercept[AnalysisException](writer(rows(0, 1)).bucketBy(2, "n").save(newPath()))
    assert(error.getMessage.contains("'save' does not support bucketBy"))
  }

  test("LIKE of a table with buckets; a table with buckets can be dropped") {
    spark.sql("CREATE TABLE bucketed (n INT) USING parquet CLUSTERED BY (n) INTO 4 BUCKETS")
    try {
      written(rows(0, 1)) // the session has the rules
      val like = "CREATE TABLE like_bucketed LIKE bucketed USING variant_shredded"
      assertUnsupported("Bucketing")(spark.sql(like))
      assert(!spark.catalog.tableExists("like_bucketed"))
      // What Spark 4.1 creates if the statement is the first one of a session.
      CreateTableLikeCommand(
        TableIdentifier("like_bucketed"),
        TableIdentifier("bucketed"),
        CatalogStorageFormat.empty,
        Some("variant_shredded"),
        ifNotExists = false
      ).run(spark)
      assert(
        spark.sessionState.catalog
          .getTableMetadata(TableIdentifier("like_bucketed"))
          .bucketSpec
          .isDefined
      )
      assertUnsupported("Bucketing")(spark.table("like_bucketed"))
      spark.sql(like.replace("TABLE", "TABLE IF NOT EXISTS"))
    } finally {
      spark.sql("DROP TABLE like_bucketed")
      spark.sql("DROP TABLE bucketed")
    }
    assert(!spark.catalog.tableExists("like_bucketed"))
  }

  test("partitioning by expressions") {
    val path = newPath()
    written(rows(0, 1)) // the session knows the catalog
    assertUnsupported("Bucketing") {
      spark.sql(
        s"CREATE TABLE variant_shredded.`$path` PARTITIONED BY (bucket(2, n)) AS SELECT 1 AS n, 2 AS p"
      )
    }
    assertUnsupported("Partitioning by years(d)") {
      spark.sql(
        s"CREATE TABLE variant_shredded.`$path` PARTITIONED BY (years(d)) " +
          "AS SELECT 1 AS n, current_date() AS d"
      )
    }
  }

  test("what Spark refuses for every source of Data Source V2") {
    writer(rows(0, 3)).partitionBy("p").saveAsTable("by_p")
    try {
      val insert = intercept[AnalysisException] {
        spark.sql(
          "INSERT OVERWRITE by_p PARTITION (p = 1) IF NOT EXISTS SELECT 9, parse_json('{\"n\": 9}')"
        )
      }
      assert(insert.getCondition === "UNSUPPORTED_FEATURE.INSERT_PARTITION_SPEC_IF_NOT_EXISTS")
      val letters = intercept[IllegalArgumentException] {
        writer(rows(3, 4)).mode("append").partitionBy("P").saveAsTable("by_p")
      }
      assert(letters.getMessage.contains("do not match the existing table's"), letters)
      assert(numbers(spark.table("by_p")) === (0 until 3))
    } finally {
      val _ = spark.sql("DROP TABLE by_p")
    }
  }

  test("the setting for Spark's first interface") {
    val path = newPath()
    val key = "spark.sql.sources.useV1SourceList"
    Seq("variant-shredded", "parquet,io.github.variantshredded.VariantShreddedSource").foreach {
      names =>
        withConf(key -> names) {
          Seq("append", "overwrite", "errorifexists", "ignore").foreach { mode =>
            assertUnsupported(s"Writing while $key names this source") {
              writer(rows(0, 1)).mode(mode).save(path)
            }
          }
        }
    }
    assert(!java.nio.file.Files.exists(java.nio.file.Path.of(path)))
    writer(rows(0, 1)).save(path)
    withConf(key -> "variant-shredded") {
      assertUnsupported(s"Writing while $key names this source") {
        writer(rows(1, 2)).mode("overwrite").save(path)
      }
    }
    assert(numbers(reader.load(path)) === Seq(0))
  }
}
