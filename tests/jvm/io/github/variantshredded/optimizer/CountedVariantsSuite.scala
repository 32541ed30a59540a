package io.github.variantshredded.optimizer

import org.apache.spark.SparkException

/** `count` of Variants, which need not be rebuilt. */
class CountedVariantsSuite extends ExtractionFixture {

  // The columns i and id keep footers from answering them.
  private val counts = Seq(
    "SELECT count(v), sum(id) FROM t",
    "SELECT count(v:x), count(v:bad), count(v:o.q), count(v:nowhere), sum(id) FROM t",
    "SELECT count(s.v), count(s.d.w), count(variant_get(s.d.w, '$[0]')), sum(id) FROM t",
    "SELECT i, count(v), count(v:bad) FILTER (WHERE id > 9) FROM t GROUP BY i",
    "SELECT v:k::int, count(v:o), count(DISTINCT v:name::string) FROM t GROUP BY 1",
    "SELECT count(t.v), count(u.v), count(u.v:y) FROM t LEFT JOIN u ON t.id = u.id + 30",
    "SELECT count(u.v), count(t.v:bad) FROM t FULL JOIN u ON t.id = u.id + 30",
    "SELECT count(x), sum(id) FROM (SELECT v:o AS x, id FROM t UNION ALL SELECT w, id FROM u)",
    "SELECT id, count(v) OVER (PARTITION BY i ORDER BY id) FROM t",
    "SELECT count(v), sum(id) FROM (SELECT * FROM t ORDER BY id LIMIT 9)",
    "SELECT id FROM u WHERE id < (SELECT count(v:bad) FROM t WHERE t.i = u.id)",
    "SELECT count(v, s.v), sum(id) FROM t"
  )

  counts.foreach { query =>
    test(query) {
      val found = scans(sameAnswers(query))
      assert(found.nonEmpty && found.forall(_.readDataSchema.forall(_.dataType.sql != "VARIANT")))
      assert(found.exists(_.pushed.extractions.exists(_.name.startsWith("is_present("))))
    }
  }

  test("count(DISTINCT v) compares values, which Spark cannot do") {
    val queries = Seq(
      "SELECT count(DISTINCT v) FROM t",
      "SELECT count(DISTINCT v:x), count(*) FROM t",
      "SELECT i, count(DISTINCT v:x, v:name::string) FROM t GROUP BY i"
    )
    queries.foreach { query =>
      def error = intercept[SparkException](spark.sql(query).collect()).getMessage
      assert(
        bySpark(error).contains("MatchError") && byUs(pushed = true)(error).contains("MatchError")
      )
    }
  }

  test("a Variant that is read anyway, and other arguments") {
    sameAnswers("SELECT count(v), to_json(max_by(v, id)) FROM t")
    sameAnswers("SELECT count(coalesce(v, s.v)), count(v:k::int), sum(id) FROM t")
    sameAnswers("SELECT count(x), sum(id) FROM (SELECT explode(array(v, v:o)) AS x, id FROM t)")
  }
}
