package io.github.variantshredded.replace

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.classic

class VariantSchemaAggSuite extends ReplacementSuite {

  private def isReplaced(df: DataFrame): Boolean = has(df)(_.isInstanceOf[VariantSchemaAgg])

  private def assertAsSpark(query: String): Unit = {
    val wanted = bySpark(rows(spark.sql(query)))
    byUs(pushed = true) {
      assert(isReplaced(spark.sql(query)), query)
      assert(rows(spark.sql(query)) === wanted, query): Unit
    }
  }

  private val grouped = "SELECT id % 4 AS k, schema_of_variant_agg(v), count(*) FROM t GROUP BY k"

  test("schema_of_variant_agg is Spark's") {
    Seq(
      "SELECT schema_of_variant_agg(v) FROM t",
      grouped,
      "SELECT schema_of_variant_agg(v) FILTER (WHERE id % 3 = 0), sum(DISTINCT id % 5) FROM t",
      "SELECT schema_of_variant_agg(s.v), schema_of_variant_agg(s.d.w) FROM t",
      "SELECT schema_of_variant_agg(variant_get(v, '$.x', 'variant')) FROM t",
      "SELECT schema_of_variant_agg(v) FROM (SELECT v FROM t UNION ALL SELECT v FROM u)",
      "SELECT id, schema_of_variant_agg(v) OVER (ORDER BY id) FROM t",
      "SELECT id FROM u WHERE (SELECT schema_of_variant_agg(v) FROM t) LIKE 'OBJECT%'",
      "SELECT schema_of_variant_agg(v) FROM t WHERE id < 0"
    ).foreach(assertAsSpark)
  }

  test("however Spark aggregates") {
    Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "1",
      "spark.sql.execution.useObjectHashAggregateExec" -> "false"
    ).foreach(withConf(_)(assertAsSpark(grouped)))
  }

  test("left to Spark: queries without our scans, the rule switched off") {
    byUs(pushed = true) {
      val other = "SELECT schema_of_variant_agg(parse_json(string(id))) FROM range(3)"
      assert(!isReplaced(spark.sql(other)))
    }
    byUs(pushed = false) {
      assert(!isReplaced(spark.sql("SELECT schema_of_variant_agg(v) FROM t")))
    }
  }

  test("shown as Spark's") {
    byUs(pushed = true) {
      val plan = spark.sql("SELECT schema_of_variant_agg(v) AS s FROM t")
      val text = plan.asInstanceOf[classic.Dataset[_]].queryExecution.optimizedPlan.toString
      assert(text.contains("schema_of_variant_agg(v#"), text)
    }
  }
}
