package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.AnalysisException

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
}
