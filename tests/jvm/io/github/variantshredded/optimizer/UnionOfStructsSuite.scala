package io.github.variantshredded.optimizer

import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{DataFrame, Row}

/** Extractions from Variants in structs above a UNION, which finds the fields by position. */
class UnionOfStructsSuite extends PathSuite {

  private def same(sql: String): DataFrame = {
    val query = spark.sql(sql)
    val wanted =
      withConf(ReadOptions.PushDownExtractions.name -> "false")(spark.sql(sql).collect().toSeq)
    assert(query.collect().toSeq === wanted, sql)
    query
  }

  private def table(name: String, value: String): Unit =
    reader.load(written(spark.sql(s"SELECT $value AS s"))).createOrReplaceTempView(name)

  private def json(k: Int): String = s"parse_json('{\"k\": $k}')"

  test("fields with other names, or in another order") {
    table("ab", s"named_struct('a', ${json(1)}, 'b', ${json(100)})")
    table("ba", s"named_struct('b', ${json(2)}, 'a', ${json(200)})")
    table("deep_xy", s"named_struct('n', named_struct('x', ${json(1)}, 'y', ${json(10)}))")
    table("deep_yx", s"named_struct('m', named_struct('y', ${json(3)}, 'x', ${json(30)}))")
    table("one", s"named_struct('a', ${json(5)})")
    val sums = "SELECT sum(s.a:k::int) AS a, sum(s.b:k::int) AS b"
    val both = "(SELECT s FROM ab UNION ALL SELECT s FROM ba)"
    assert(same(s"$sums FROM $both").head() === Row(3L, 300L))
    val extractions = spark.sql(s"$sums FROM $both").queryExecution.optimizedPlan.collect {
      case ScanNode(node) => node.scan.pushed.extractions.size
    }
    assert(extractions === Seq(2, 2))
    assert(same(s"SELECT count(s), max(s.a:k::int) FROM $both").head() === Row(2L, 2))
    val deep = "(SELECT s FROM deep_xy UNION ALL SELECT s FROM deep_yx)"
    assert(
      same(s"SELECT count(s), sum(s.n.x:k::int), sum(s.n.y:k::int) FROM $deep").head() ===
        Row(2L, 4L, 40L)
    )
    val others = Seq(s"struct(${json(7)})", s"named_struct('A', ${json(7)})")
    for {
      other <- others
      call <- Seq("sum(s.a:k::int)", "sum(try_variant_get(s.a, '$.k', 'int'))", "count(s.a:k)")
    } same(s"SELECT $call FROM (SELECT s FROM one UNION ALL SELECT $other FROM range(3))")
  }

  test("a query without rows, which Spark removes, gives the fields their names") {
    table("of_ba", s"named_struct('b', ${json(2)}, 'a', ${json(200)})")
    table("of_xy", s"named_struct('x', ${json(3)}, 'y', ${json(300)})")
    val none = s"(SELECT named_struct('a', ${json(1)}, 'b', ${json(1)}) AS e LIMIT 0)"
    val sums = "SELECT count(e), sum(try_variant_get(e.a, '$.k', 'int')), sum(e.b:k::int)"
    val one = s"$sums FROM ($none UNION ALL SELECT s FROM of_ba)"
    assert(same(one).head() === Row(1L, 2L, 200L))
    val two = s"$sums FROM ($none UNION ALL SELECT s FROM of_ba UNION ALL SELECT s FROM of_xy)"
    assert(same(two).head() === Row(2L, 5L, 500L))
  }
}
