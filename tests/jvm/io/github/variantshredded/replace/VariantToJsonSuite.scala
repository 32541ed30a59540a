package io.github.variantshredded.replace

import org.apache.spark.sql.DataFrame

class VariantToJsonSuite extends ReplacementSuite {

  private def isReplaced(df: DataFrame): Boolean = has(df)(_.isInstanceOf[VariantToJson])

  private val queries = Seq(
    "SELECT id, to_json(v) FROM t",
    "SELECT to_json(s.v), to_json(s.d.w) FROM t WHERE id < 20",
    "SELECT to_json(variant_get(v, '$.o', 'variant')) FROM t",
    "SELECT id FROM t WHERE to_json(v) > (SELECT min(to_json(w)) FROM u)",
    "SELECT to_json(v) j, count(*) FROM t GROUP BY j",
    "SELECT to_json(CASE WHEN id > 3 THEN v END) FROM t"
  )

  test("to_json is Spark's, with and without generated code") {
    sameInAllModes(queries)(isReplaced)
  }

  test("in the session's time zone") {
    val query = "SELECT to_json(to_variant_object(named_struct('t', timestamp_seconds(id), " +
      "'v', v))) FROM t"
    Seq("UTC", "Asia/Kolkata").foreach { zone =>
      withConf("spark.sql.session.timeZone" -> zone) {
        val wanted = bySpark(rows(spark.sql(query)))
        byUs(pushed = true) {
          assert(isReplaced(spark.sql(query)))
          assert(rows(spark.sql(query)) === wanted, zone)
        }
      }
    }
  }

  test("left to Spark: options, structs, queries without our scans, the rule switched off") {
    byUs(pushed = true) {
      assert(!isReplaced(spark.sql("SELECT to_json(v, map('pretty', 'true')) FROM t")))
      assert(!isReplaced(spark.sql("SELECT to_json(named_struct('v', v)) FROM t")))
      assert(!isReplaced(spark.sql("SELECT to_json(parse_json(string(id))) FROM range(3)")))
    }
    byUs(pushed = false)(assert(!isReplaced(spark.sql("SELECT to_json(v) FROM t"))))
  }

  test("it may be null where Spark says that to_json may be null") {
    def nullable(df: DataFrame): Seq[Boolean] =
      df.queryExecution.optimizedPlan.output.map(_.nullable)
    val query = "SELECT to_json(coalesce(v, parse_json('{}'))), to_json(v) FROM t"
    val wanted = bySpark(nullable(spark.sql(query)))
    byUs(pushed = true) {
      assert(isReplaced(spark.sql(query)))
      assert(nullable(spark.sql(query)) === wanted)
    }
    sameInAllModes(Seq(query))(isReplaced)
  }
}
