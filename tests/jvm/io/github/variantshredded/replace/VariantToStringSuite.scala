package io.github.variantshredded.replace

import org.apache.spark.sql.DataFrame

class VariantToStringSuite extends ReplacementSuite {

  private def isReplaced(df: DataFrame): Boolean = has(df)(_.isInstanceOf[VariantToString])

  // No scan delivers these casts.
  private val queries = Seq(
    "SELECT CAST(max_by(v, id) AS STRING) FROM t GROUP BY i",
    "SELECT CAST(lag(v) OVER (ORDER BY id) AS STRING) FROM t",
    "SELECT CAST(x AS STRING) FROM t LATERAL VIEW explode(array(v, v:x, v:q, v:o, v:l)) AS x",
    "SELECT TRY_CAST(x AS STRING) FROM t LATERAL VIEW explode(array(v:name, v:o.q, v:k)) AS x",
    "SELECT id FROM t WHERE string(coalesce(v, s.v)) > (SELECT min(string(coalesce(w, v))) FROM u)"
  )

  test("a cast to STRING is Spark's, with and without generated code") {
    sameInAllModes(queries)(isReplaced)
  }

  test("in the session's time zone, by the scan and above it") {
    val variant = "to_variant_object(named_struct('t', timestamp_seconds(id), 'v', v, " +
      "'d', date '2026-01-02', 'n', array(1.50, 2.25), 'b', X'00ff', 'f', float(id) / 3))"
    val path = folder.resolve("made").toString
    spark.sql(s"SELECT id, $variant AS v FROM t").write.parquet(path)
    for (zone <- Seq("UTC", "Asia/Kolkata"); value <- Seq("v", "v:t", "v:n")) {
      withConf("spark.sql.session.timeZone" -> zone) {
        def texts(format: String) = {
          spark.read.format(format).load(path).createOrReplaceTempView("made")
          Seq(s"string($value) FROM made", s"string(max_by($value, id)) FROM made GROUP BY id")
            .map(query => rows(spark.sql(s"SELECT $query")))
        }
        assert(texts("variant-shredded") === texts("parquet"), s"$value, $zone")
      }
    }
  }

  test("left to Spark: other types, queries without our scans, the rule switched off") {
    byUs(pushed = true) {
      assert(!isReplaced(spark.sql("SELECT CAST(max_by(v, id) AS MAP<STRING, STRING>) FROM t")))
      assert(!isReplaced(spark.sql("SELECT string(v) FROM t")), "delivered by the scan")
      assert(!isReplaced(spark.sql("SELECT string(parse_json(string(id))) FROM range(3)")))
    }
    byUs(pushed = false)(assert(!isReplaced(spark.sql("SELECT string(max_by(v, id)) FROM t"))))
  }
}
