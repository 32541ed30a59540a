package io.github.variantshredded.optimizer

import io.github.variantshredded.predicate.{Conjuncts, Operand, SkippingPredicate, ValueTest}
import io.github.variantshredded.read.options.ReadOptions
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Like, Literal}
import org.apache.spark.sql.catalyst.optimizer.{NullPropagation, OptimizeIn}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

/** What of a query's conditions a scan evaluates, and what it leaves out by them. */
class PushDownPredicatesSuite
    extends ExtractionFixture
    with AdaptiveSparkPlanHelper
    with Eventually {

  private val setting = ReadOptions.PushDownPredicates.name

  private def metric(query: DataFrame, name: String): Long = query match {
    case ours: classic.DataFrame =>
      collect(ours.queryExecution.executedPlan) { case scan: BatchScanExec => scan }
        .map(_.metrics(name).value)
        .sum
    case other => fail(s"not a classic DataFrame: $other")
  }

  private def pushed(query: DataFrame): String = scans(query).head.getMetaData()("PushedPredicates")

  private def declined(query: DataFrame): String =
    scans(query).head.getMetaData()("DeclinedPredicates")

  private def holds(condition: String): DataFrame = {
    val sql = s"SELECT id, v, s FROM t WHERE $condition"
    val query = sameAnswers(sql)
    withConf(setting -> "false") {
      byUs(pushed = true)(assert(rows(spark.sql(sql)) === rows(query), "predicates not pushed"))
    }
    query
  }

  private val byStatistics = "row groups, pages, rows"

  Seq(
    "v:k::int = 2",
    "2 < v:k::int",
    "v:k::bigint BETWEEN 1 AND 2",
    "v:k::int IN (1, 3, 17)",
    "v:k::int NOT IN (1, 3)",
    "NOT (v:k::int > 2 OR v:name::string = 'n1')",
    "v:k::int <=> 2",
    "v:k::int > 2.5",
    "cast(v:k AS double) >= 3",
    "v:name::string = 'n1'",
    "v:name::string LIKE 'n%'",
    "startswith(v:name::string, 'n2')",
    "v:name::string > 'n1' AND v:k::int < 3",
    "v:o.p::double <= 4.5",
    "isnan(v:o.p::double)",
    "v:l[0]::int > 30",
    "v:k IS NULL",
    "v:o.q IS NOT NULL",
    "is_variant_null(v:o.q)",
    "try_variant_get(v, '$.x', 'int') = 4",
    "try_cast(v:bad AS int) IS NULL",
    "exists(v:l::array<int>, x -> x > 35)",
    "array_contains(v:l::array<bigint>, 7L)",
    "arrays_overlap(v:l::array<int>, array(3, 99))",
    "s.n > 20 AND s.v:a::int < 30",
    "i = 1 AND v:k::int = 3",
    "id >= 10 AND id < 12"
  ).foreach { condition =>
    test(s"pushed: $condition") {
      val query = holds(condition)
      assert(pushed(query).contains(s"by $byStatistics"), pushed(query))
      assert(declined(query) === "[]")
    }
  }

  Seq("length(v:name::string) + v:k::int > 3", "v:k::int > i", "v:k::int % 2 = 0").foreach {
    condition =>
      test(s"evaluated in the scan: $condition") {
        val query = holds(condition)
        assert(declined(query) === "[]")
      }
  }

  test("a pattern with ill-formed bytes is no prefix of the strings that match it") {
    val table = folder.resolve("illFormed").toString
    // A file each, so that the bounds are the value.
    Seq("cast(X'FE6162' AS string)", "'b'", "'x\uD83D\uDE00y'").foreach { value =>
      spark.sql(s"SELECT $value AS s").write.mode("append").parquet(table)
    }
    Seq(
      "s LIKE concat(cast(X'FF61' AS string), '_')" -> 1,
      "s LIKE concat('\uFFFDa', '_')" -> 1,
      "s LIKE 'x\uD83D\uDE00_'" -> 1,
      "s LIKE 'z_'" -> 0
    ).foreach { case (condition, count) =>
      val answers = Seq("parquet", "variant-shredded").map { format =>
        rows(spark.read.format(format).load(table).where(condition)).size
      }
      assert(answers === Seq(count, count), condition)
    }
    val column = AttributeReference("s", StringType)()
    val halfEscape = Like(column, Literal("x\uD83D\uDE00_"), '\uDE00')
    assert(
      Conjuncts.of(Seq(halfEscape), StructType.fromDDL("s string")).pushed.map(_.skipping) === Seq(
        SkippingPredicate.Test(
          Operand.Column(Seq("s"), StringType),
          ValueTest.StartsWith(UTF8String.fromString("x"))
        )
      )
    )
  }

  test("what is not pushed is explained") {
    byUs(pushed = true) {
      spark.udf.register("even", (n: Int) => n % 2 == 0)
      Seq(
        "even(v:k::int)" -> "it calls a user's function",
        "to_json(v) LIKE '%n1%'" -> "it looks at v as a whole",
        "id > (SELECT min(id) FROM u)" -> "",
        "rand() < 2" -> ""
      ).foreach { case (condition, reason) =>
        val query = spark.sql(s"SELECT id FROM t WHERE $condition")
        assert(!pushed(query).contains("k::int") && !pushed(query).contains("json"), condition)
        assert(declined(query).contains(reason), condition)
        assert(!pushed(query).contains("rand") && !pushed(query).contains("min("), condition)
        query.collect()
      }
    }
  }

  test("explanations can be read") {
    byUs(pushed = true) {
      Seq(
        "v:k::int > 2" -> "[(v:k::int > 2) by row groups, pages, rows]",
        "v:name::string LIKE 'n%'" -> "[startswith(v:name::string, 'n') by row groups, pages, rows]",
        "id IS NOT NULL" -> "[(id IS NOT NULL) by row groups, pages, rows]",
        "exists(v:l::array<int>, x -> x > 3)" ->
          "[exists(v:l::array<int>, x -> (x > 3)) by row groups, pages, rows]",
        "length(v:name::string) > 3" ->
          "[(length(v:name::string) > 3) by rows, nulls also by row groups, pages]",
        "coalesce(v:k::int, 1) > v:x::int" -> "[(coalesce(v:k::int, 1) > v:x::int) by rows]"
      ).foreach { case (condition, text) =>
        assert(pushed(spark.sql(s"SELECT v FROM t WHERE $condition")) === text)
      }
    }
  }

  test("row groups that cannot match are not read") {
    byUs(pushed = true) {
      val query = spark.sql("SELECT v FROM t WHERE v:o.p::double > 1000")
      assert(query.collect().isEmpty)
      assert(metric(query, "rowGroupsRead") === 0)
      assert(metric(query, "rowGroupsSkippedByStatistics") === 2)
    }
  }

  test("files of which nothing is read are counted, by whatever they were ruled out") {
    val table = folder.resolve("ranges").toString
    spark
      .range(0, 4000, 1, 4)
      .selectExpr("id", "id % 100 * 4 + id div 1000 AS m")
      .selectExpr("id", "parse_json(concat('{\"n\":', id, ',\"m\":', m, '}')) AS v")
      .write
      .parquet(table)
    val ranges = spark.read.format("variant-shredded").load(table)
    Seq(
      "v:n::int BETWEEN 1500 AND 1600" -> "rowGroupsSkippedByStatistics",
      "v:m::int IN (41, 81)" -> "rowGroupsSkippedByDictionaries",
      "v:n::int * v:n::int = 1500 * 1500" -> "rowGroupsSkippedByLateMaterialization"
    ).foreach { case (condition, level) =>
      val query = ranges.where(condition).select("id", "v")
      assert(query.collect().nonEmpty, condition)
      assert(metric(query, "filesRead") === 1, condition)
      assert(metric(query, "filesSkipped") === 3, condition)
      assert(metric(query, level) > 0, condition)
    }
    val all = ranges.select("id")
    assert(all.count() === 4000)
    assert(all.collect().length === 4000)
    assert(metric(all, "filesRead") === 4)
    assert(metric(all, "filesSkipped") === 0)
  }

  test("Spark's UI shows the metrics") {
    byUs(pushed = true) {
      val query = spark.sql("SELECT * FROM t WHERE v:k::int % 5 = 4 AND id < 1000000")
      assert(query.collect().length === 7)
      val store = spark.asInstanceOf[classic.SparkSession].sharedState.statusStore
      eventually(timeout(Span(30, Seconds))) {
        val execution = store.executionsList().last
        val shown = store.executionMetrics(execution.executionId)
        val ours = execution.metrics
          .filter(_.metricType.contains("variantshredded"))
          .map(metric => metric.name -> shown.get(metric.accumulatorId))
          .toMap
        assert(ours("rows dropped by predicates in the scan") === Some("33"))
        assert(ours("files (or file splits) read") === Some("2"))
        assert(ours("row groups skipped by statistics") === Some("0"))
      }
    }
  }

  test("rows that do not match are not in the scan's batches") {
    byUs(pushed = true) {
      val query = spark.sql("SELECT * FROM t WHERE v:k::int % 5 = 4")
      assert(query.collect().length === 7)
      assert(metric(query, "rowsDropped") === 33)
      assert(metric(query, "numOutputRows") === 7)
    }
  }

  test("with the setting off the scan delivers all rows") {
    withConf(setting -> "false") {
      byUs(pushed = true) {
        val query = spark.sql("SELECT * FROM t WHERE v:k::int = 4")
        assert(query.collect().length === 7)
        assert(metric(query, "numOutputRows") === 40)
      }
    }
  }

  test("a strict cast of a row that the query keeps raises, whatever the scan evaluates") {
    byUs(pushed = true) {
      Seq(
        "v:bad::int = 1",
        "v:bad::int IN (1, 2)",
        "v:bad::int IS NULL",
        "NOT (v:bad::int <=> 3)",
        "id >= 0 AND v:bad::int > 7"
      ).foreach { condition =>
        val e = intercept[RuntimeException with SparkThrowable] {
          spark.sql(s"SELECT id FROM t WHERE $condition").collect()
        }
        assert(e.getCondition === "INVALID_VARIANT_CAST", condition)
      }
    }
  }

  test("the cast of an array raises, even if no element can pass the test") {
    val table = folder.resolve("arrays").toString
    Seq("""{"k":1,"l":["abc"]}""", """{"k":2,"l":[3000000000]}""").foreach { json =>
      // A file each, shredded as it is.
      spark
        .sql(s"SELECT parse_json('$json') AS v")
        .write
        .format("variant-shredded")
        .mode("append")
        .save(table)
    }
    spark.read.format("variant-shredded").load(table).createOrReplaceTempView("arrays")
    val conditions = Seq(
      "exists(v:l::array<int>, x -> x = 3000000000)",
      "exists(v:l::array<int>, x -> x = NULL)",
      "exists(v:l::array<int>, x -> x > 5 AND :no)",
      "exists(v:l::array<int>, x -> x > 5 AND :no) OR v:k::int = 5",
      "exists(v:l::array<int>, x -> x > 4000000000 OR x = NULL)",
      "v:k::int = 1 AND exists(v:l::array<int>, x -> x = NULL)"
    )
    for (condition <- conditions; on <- Seq("true", "false")) {
      withConf(setting -> on, ReadOptions.PushDownExtractions.name -> on) {
        val sql = s"SELECT * FROM arrays WHERE $condition"
        val e = intercept[RuntimeException with SparkThrowable] {
          spark.sql(sql, Map("no" -> false)).collect()
        }
        assert(e.getCondition === "INVALID_VARIANT_CAST", s"$condition, $on")
      }
    }
    val none = "SELECT * FROM arrays WHERE exists(try_cast(v:l AS array<int>), x -> x = NULL)"
    assert(spark.sql(none).collect().isEmpty)
  }

  test("a strict cast of rows that another condition drops does not raise") {
    byUs(pushed = true) {
      // Every sixth row has no field `bad`.
      val query = spark.sql("SELECT id FROM t WHERE id % 6 = 0 AND v:bad::int IS NULL")
      assert(query.collect().length === 7)
    }
  }

  test("partitions are pruned by what the other side of a join has") {
    val table = folder.resolve("parts").toString
    spark
      .range(0, 60, 1, 1)
      .selectExpr("id", "id % 6 AS p", "parse_json(concat('{\"n\":', id, '}')) AS v")
      .write
      .format("variant-shredded")
      .partitionBy("p")
      .save(table)
    spark.read.format("variant-shredded").load(table).createOrReplaceTempView("parts")
    spark.range(10).selectExpr("id AS k", "id * 2 AS q").createOrReplaceTempView("keys")
    withConf("spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly" -> "false") {
      val query = spark.sql(
        "SELECT parts.v:n::int FROM parts JOIN keys ON parts.p = keys.k WHERE keys.q IN (4, 8)"
      )
      assert(query.collect().map(_.getInt(0)).sorted === (0 until 60).filter(n => Set(2, 4)(n % 6)))
      assert(metric(query, "rowGroupsRead") === 2)
    }
  }

  test("a limit lets a task stop early") {
    byUs(pushed = true) {
      val query = spark.sql("SELECT id, v:k::int FROM t LIMIT 3")
      assert(query.collect().length === 3)
      assert(scans(query).head.pushed.limit === Some(3))
      assert(metric(query, "numOutputRows") <= 6)
      assert(spark.sql("SELECT count(*) FROM (SELECT * FROM t LIMIT 25)").head().getLong(0) === 25)
      val filtered = spark.sql("SELECT id FROM t WHERE v:k::int = 4 LIMIT 5")
      assert(filtered.collect().length === 5)
      assert(scans(filtered).head.pushed.limit.isEmpty)
    }
  }

  test("no value is in an empty list, not even a null") {
    val path = folder.resolve("nulls").toString
    val json = "parse_json(if(id < 5, '{}', concat('{\"n\":', id, '}')))"
    spark
      .range(0, 10, 1, 1)
      .selectExpr("id", "if(id < 5, NULL, id) AS a", s"$json AS v")
      .write
      .format("variant-shredded")
      .option("parquet.block.row.count.limit", "5")
      .save(path)
    val excluded = Seq(OptimizeIn.ruleName, NullPropagation.ruleName).mkString(",")
    withConf("spark.sql.optimizer.excludedRules" -> excluded) {
      Seq("true", "false").foreach { ansi =>
        withConf("spark.sql.ansi.enabled" -> ansi) {
          def ids(pushed: Boolean, value: Column) = withConf(setting -> pushed.toString) {
            val rows = spark.read.format("variant-shredded").load(path).filter(!value.isin())
            rows.collect().map(_.getLong(0)).toSeq.sorted
          }
          Seq(col("a"), expr("v:n::int")).foreach { value =>
            assert(ids(pushed = true, value) === ids(pushed = false, value), s"$value, $ansi")
          }
          if (ansi == "true") assert(ids(pushed = true, col("a")) === (0 until 10))
        }
      }
    }
  }
}
