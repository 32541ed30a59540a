package io.github.variantshredded.optimizer

import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic

/**
 * The optimizer rule, applied to its own result, changes nothing; and the batch that it is in ends
 * before its limit of iterations. (`sameAnswers` tests the former for every other suite's queries.)
 */
class ConvergenceSuite extends ExtractionFixture {

  private def gets(plan: LogicalPlan): Int =
    plan
      .collectWithSubqueries { case operator => operator }
      .flatMap(_.expressions)
      .map(_.collect { case get: VariantGet => get }.size)
      .sum

  /** @param most `variant_get`s that are left in the plan */
  private def converges(name: String, sql: String, most: Int): Unit = test(name) {
    spark.read.parquet(folder.resolve("u").toString).createOrReplaceTempView("p")
    val query = sameAnswers(sql.stripMargin) match {
      case ours: classic.DataFrame => ours.queryExecution
      case other                   => fail(s"not a classic DataFrame: $other")
    }
    assert(gets(query.optimizedPlan) <= most, query.optimizedPlan)
    val rule = query.tracker.rules(PushVariantExtractions.ruleName)
    // A subquery is optimized by itself before the plan that it is in.
    assert(rule.numInvocations <= 12, rule)
  }

  private val both = "(SELECT v FROM t UNION ALL SELECT v FROM p)"

  converges("a strict cast above a union", s"SELECT sum(v:k::int) FROM $both", 2)
  converges(
    "strict casts to several types above a union",
    s"SELECT sum(v:k::int), max(v:k::bigint), max(v:k), max(v:o.p::double) FROM $both"
      .replace("max(v:k), ", "count(v:k), "),
    6
  )
  converges(
    "casts that give null above a union",
    s"SELECT sum(try_cast(v:k AS int)), count(try_variant_get(v, '$$.x', 'int')) FROM $both",
    2
  )
  converges(
    "a cast of the whole Variant above a union",
    s"SELECT max(cast(v AS map<string, variant>)['k']::int) FROM $both",
    3
  )
  converges(
    "a Variant in a struct above a union",
    """SELECT sum(s.v:a::int) FROM (SELECT s FROM t UNION ALL
      |  SELECT named_struct('n', id, 'v', parse_json('{"a":1}'), 'd',
      |    named_struct('w', v, 'm', id)) FROM p)""",
    2
  )
  converges(
    "unions in unions",
    s"""SELECT sum(v:k::int), max(v:name::string) FROM (
       |  SELECT v FROM (SELECT DISTINCT id, to_json(v) j, i FROM t) JOIN t USING (id) UNION ALL
       |  SELECT v FROM (SELECT v FROM $both LIMIT 1000) UNION ALL SELECT v FROM u)""",
    8
  )
  converges(
    "a union below a limit in a union",
    s"""SELECT sum(v:k::int) FROM (SELECT v FROM u UNION ALL
       |  SELECT v FROM (SELECT * FROM $both LIMIT 1000))""",
    4
  )
  converges(
    "a union below a join",
    s"SELECT a.v:k::int, u.v:name::string FROM $both a JOIN u ON a.v:k::int = u.v:k::int",
    4
  )
  converges(
    "a union below an outer join",
    s"SELECT u.v:k::int, a.v:k::bigint FROM u LEFT JOIN $both a ON a.v:name::string = u.v:name::string",
    6
  )
  converges(
    "a union below an aggregate below a union",
    s"""SELECT sum(n), max(k) FROM (SELECT v:k::int k, count(*) n FROM $both GROUP BY 1
       |  UNION ALL SELECT v:k::int, 1 FROM u)""",
    4
  )
  converges(
    "a union in a subquery",
    s"SELECT id FROM t WHERE v:k::int IN (SELECT v:k::int FROM $both)",
    4
  )
  converges(
    "a union in a scalar subquery",
    s"SELECT id, (SELECT max(v:k::int) FROM $both) FROM t",
    2
  )
  converges(
    "except and intersect",
    s"""SELECT v:k::int FROM $both EXCEPT SELECT v:k::int FROM u WHERE v:k::int > 2
       |INTERSECT SELECT v:k::int FROM t""",
    4
  )
  converges(
    "except all and intersect all",
    s"""(SELECT v:k::int FROM $both EXCEPT ALL SELECT v:k::int FROM u WHERE v:k::int > 2)
       |INTERSECT ALL SELECT v:k::int FROM t""",
    4
  )
  converges(
    "a window and a generator above a union",
    s"""SELECT v:k::int, row_number() OVER (PARTITION BY v:name::string ORDER BY v:k::int), x
       |FROM $both LATERAL VIEW explode(v:l::array<int>) e AS x""",
    8
  )
  converges(
    "grouping sets above a union",
    s"SELECT v:k::int, v:name::string, count(*) FROM $both GROUP BY ROLLUP (1, 2)",
    4
  )
  converges(
    "a common table expression used twice",
    s"""WITH c AS (SELECT v, rand(1) < 2 AS r FROM $both)
       |SELECT a.v:k::int FROM c a JOIN c b ON a.v:k::int = b.v:k::int WHERE a.r""",
    6
  )
  converges(
    "a recursive common table expression",
    """WITH RECURSIVE r(n, k) AS (
      |  SELECT 0, v:k::int FROM u WHERE v:k::int = 1 UNION ALL
      |  SELECT n + 1, u.v:k::int FROM r JOIN u ON u.v:k::int = r.k WHERE n < 2)
      |SELECT * FROM r""",
    0
  )
  converges(
    "EXISTS with all columns",
    "SELECT id FROM u WHERE EXISTS (SELECT * FROM t WHERE t.id = u.id)",
    0
  )
  converges(
    "NOT EXISTS with all columns",
    "SELECT v:k::int FROM u WHERE NOT EXISTS (SELECT * FROM t WHERE t.v:k::int = u.v:k::int)",
    0
  )
  converges(
    "EXISTS with a union",
    """SELECT id FROM u WHERE EXISTS (
      |  SELECT * FROM (SELECT id, v FROM t UNION ALL SELECT id, v FROM p) a WHERE a.id = u.id)""",
    0
  )
  converges(
    "EXISTS with a predicate on the outer table",
    "SELECT v:k::int FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND t.i = 1)",
    0
  )
}
