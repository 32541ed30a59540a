package io.github.variantshredded.optimizer

import java.nio.file.Files

import io.github.variantshredded.TableCommands
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.replace.{
  ReplaceCastToString,
  ReplaceSchemaOfVariantAgg,
  ReplaceToJson
}
import io.github.variantshredded.takeover.{DeltaReads, WaitingRelations}
import org.apache.spark.sql.{classic, DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** The rule in a session: when it is there, what it leaves alone, what EXPLAIN says. */
class PushVariantExtractionsSuite extends ExtractionFixture {

  private object Users extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan
  }

  private def rules(session: SparkSession): Seq[Rule[LogicalPlan]] = session match {
    case ours: classic.SparkSession => ours.experimental.extraOptimizations
    case other                      => fail(s"not a classic session: $other")
  }

  private def optimized(sql: String): LogicalPlan = spark.sql(sql) match {
    case ours: classic.DataFrame => ours.queryExecution.optimizedPlan
    case other                   => fail(s"not a classic DataFrame: $other")
  }

  private def formatted(sql: String): String =
    spark.sql(s"EXPLAIN FORMATTED $sql").head().getString(0)

  private def declined(sql: String): Seq[String] =
    byUs(pushed = true)(scans(spark.sql(sql)).flatMap(_.pushed.declined))

  test("a session gets the rules once, when it first meets the source; others' rules stay") {
    val session = spark.newSession() match {
      case ours: classic.SparkSession => ours
      case other                      => fail(s"not a classic session: $other")
    }
    assert(rules(session).isEmpty)
    session.experimental.extraOptimizations = Seq(Users)
    (1 to 2).foreach { _ =>
      session.read.format("variant-shredded").load(folder.resolve("t").toString).collect()
      assert(
        rules(session) ===
          Seq(
            Users,
            TableCommands,
            PlanMicroBatches,
            DeltaReads,
            WaitingRelations,
            PushVariantExtractions,
            ReplaceToJson,
            ReplaceCastToString,
            ReplaceSchemaOfVariantAgg
          )
      )
    }
  }

  test("the setting is read at each query; what it may be") {
    views("variant-shredded")
    val key = ReadOptions.PushDownExtractions.name
    Seq("true" -> 1, "FALSE" -> 0, "True" -> 1).foreach { case (value, count) =>
      withConf(key -> value) {
        assert(
          scans(spark.sql("SELECT v:k::int FROM t")).map(_.pushed.extractions.size) === Seq(count)
        )
      }
    }
    withConf(key -> "perhaps") {
      val error = intercept[Exception](optimized("SELECT v:k::int FROM t"))
      assert(
        error.getMessage === s"[INVALID_VARIANT_SHREDDED_OPTION] Option '$key' is 'perhaps', " +
          "expected true or false."
      )
    }
  }

  test("plans without our scans are left as they are, and rewritten ones too") {
    val other = LocalRelation()
    assert(PushVariantExtractions(other) eq other)
    byUs(pushed = true) {
      Seq(
        "SELECT v:k::int FROM t WHERE v:x::string > 'a'",
        "SELECT a.v, b.v:k::int FROM t a JOIN u b ON a.v:k::int = b.v:k::int",
        "SELECT id FROM t WHERE v:k::int > (SELECT max(v:k::int) FROM u)",
        "SELECT max(v:k::int) FROM (SELECT v FROM t UNION ALL SELECT v FROM u)"
      ).foreach { sql =>
        val plan = optimized(sql)
        assert(PushVariantExtractions(plan).fastEquals(plan), sql)
      }
    }
  }

  test("count(*) reads no column") {
    byUs(pushed = true) {
      assert(scans(spark.sql("SELECT count(*) FROM t")).map(_.readSchema().size) === Seq(0))
    }
  }

  test("EXISTS (SELECT * ...) reads only the columns of its condition") {
    byUs(pushed = true) {
      Seq("EXISTS", "NOT EXISTS").foreach { exists =>
        val query = spark.sql(s"SELECT id FROM u WHERE $exists (SELECT * FROM t WHERE t.id = u.id)")
        assert(scans(query).map(_.readSchema().fieldNames.toSeq) === Seq(Seq("id"), Seq("id")))
      }
    }
  }

  test("a predicate on partitions that a subquery brings to a built scan chooses files") {
    byUs(pushed = true) {
      val path = folder.resolve("partitioned").toString
      spark.table("t").write.format("variant-shredded").partitionBy("i").save(path)
      spark.read.format("variant-shredded").load(path).createOrReplaceTempView("e")
      def query(exists: String) = spark.sql(
        s"SELECT e.id, e.v:k::int FROM e WHERE EXISTS (SELECT 1 FROM u WHERE u.id = e.id$exists)"
      )
      def filters(found: DataFrame) = scans(found).flatMap(_.partitionFilters).map(_.sql)
      val late = query(" AND E.I = 1 AND e.id > 3")
      assert(filters(late) === Seq("(e.i = 1)"))
      assertConverged(late)
      assert(rows(late).nonEmpty && rows(late) === rows(query("").where("id % 3 = 1 AND id > 3")))
      assert(filters(query(" AND rand() < 2 AND e.i + e.id > 0")) === Nil)
      // An error of this cast must not come from a partition that no row leads to.
      assert(filters(query(" AND CAST(CAST(e.i AS STRING) AS INT) = 1")) === Nil)
    }
  }

  test("EXPLAIN") {
    byUs(pushed = true) {
      val text = formatted("SELECT v:k::int, try_variant_get(v, '$.name', 'string') FROM t")
      assert(text.contains("PushedExtractions: [v:k::int, try(v:name::string)]"), text)
      assert(!text.contains("DeclinedExtractions"), text)
      val other = formatted("SELECT v, v:k::int FROM t")
      assert(other.contains("DeclinedExtractions: [v: it is in the result as a whole]"), other)
      assert(text.contains("ReadSchema: struct<>"), text)
    }
  }

  test("what is declined says why") {
    assert(declined("SELECT v FROM t") === Seq("v: it is in the result as a whole"))
    assert(declined("SELECT v, v:k::int FROM t") === Seq("v: it is in the result as a whole"))
    assert(declined("SELECT to_json(v) FROM t") === Seq("v: Project reads it as a whole"))
    assert(
      declined("SELECT id FROM t WHERE to_json(v) > '' AND v:k::int > 1") ===
        Seq("v: Filter reads it as a whole")
    )
    assert(
      declined("SELECT variant_get(v, concat('$.k', i), 'int') FROM t").head
        .endsWith("its path is not a constant")
    )
    assert(declined("SELECT cast(v:name AS string COLLATE UTF8_LCASE) FROM t") === Nil)
    assert(
      declined("SELECT cast(v AS string COLLATE UTF8_LCASE) FROM t").head
        .endsWith("the type string collate UTF8_LCASE")
    )
    assert(declined("SELECT first(v) FROM t") === Seq("v: Aggregate reads it as a whole"))
    assert(declined("SELECT s.n FROM t") === Nil)
    assert(
      declined("SELECT v FROM t UNION ALL SELECT w FROM u") ===
        Seq("v: Union reads it as a whole", "w: Union reads it as a whole")
    )
  }

  test("at most so many extractions a scan") {
    byUs(pushed = true) {
      val fields = (1 to ScanNode.MaxExtractions + 5).map(i => s"v:f$i::int")
      val scan = scans(spark.sql(s"SELECT ${fields.mkString(", ")} FROM t")).head
      assert(scan.pushed.extractions.size === ScanNode.MaxExtractions)
      assert(scan.pushed.declined.size === 5)
      assert(scan.pushed.declined.head.endsWith("more than 500 extractions of one scan"))
    }
  }

  test("the whole Variant beside its fields") {
    val found = scans(sameAnswers("SELECT v, v:k::int, id FROM t WHERE v:o.p::double > 3"))
    assert(found.map(_.readDataSchema.fieldNames.toSeq) === Seq(Seq("id", "v")))
    assert(found.map(_.pushed.extractions.size) === Seq(2))
    sameAnswers("SELECT a.v, b.v:k::int FROM t a JOIN t b ON a.v:k::int = b.id")
    sameAnswers("SELECT * FROM t ORDER BY v:o.p::double DESC NULLS LAST LIMIT 3")
    sameAnswers("SELECT *, t.v:k::int, u.v:k::int FROM t LEFT JOIN u USING (id)")
    sameAnswers("SELECT first(v:k), max_by(v, v:o.p::double):k::int FROM t")
    sameAnswers("SELECT s, s.v:a::int FROM t")
  }

  test("writes: what is written is what is selected") {
    Seq(
      "SELECT id, v:k::int AS k, v FROM t WHERE v:o.p::double > 3",
      "SELECT v:o AS o, v:l::array<int> AS l FROM t ORDER BY id",
      "SELECT v FROM t UNION ALL SELECT v FROM u WHERE v:k::int > 1"
    ).foreach { sql =>
      val wanted = bySpark(rows(spark.sql(sql)))
      byUs(pushed = true) {
        Seq("variant-shredded", "parquet").foreach { format =>
          val path = Files.createTempDirectory(folder, "written").resolve("table").toString
          spark.sql(sql).write.format(format).save(path)
          assert(rows(spark.read.parquet(path)) === wanted, s"$format, $sql")
        }
        spark.sql(s"CREATE TABLE written USING `variant-shredded` AS $sql")
        try {
          spark.sql(s"INSERT INTO written $sql")
          assert(rows(spark.table("written")) === (wanted ++ wanted).sorted, sql)
        } finally spark.sql("DROP TABLE written")
      }
    }
  }

  test("views, cached and reused DataFrames") {
    byUs(pushed = true) {
      spark.sql("CREATE OR REPLACE TEMP VIEW renamed AS SELECT id AS n, v AS w FROM t WHERE i > 0")
      val sql = "SELECT n, w:k::int FROM renamed WHERE w:name::string > 'n1'"
      val wanted = rows(spark.sql(sql))
      assert(scans(spark.sql(sql)).map(_.readDataSchema.fieldNames.toSeq) === Seq(Seq("id", "i")))
      val cached = spark.table("renamed").cache()
      try assert(rows(spark.sql(sql)) === wanted)
      finally cached.unpersist(blocking = true)
      val table = spark.table("t")
      val twice = table.union(table).selectExpr("v:k::int AS k").groupBy("k").count()
      assert(scans(twice).map(_.pushed.extractions.map(_.name)) === Seq.fill(2)(Seq("v:k::int")))
      val expected = table.selectExpr("v:k::int AS k").groupBy("k").count().collect()
      assert(rows(twice) === expected.map(r => s"[${r.get(0)}, ${r.getLong(1) * 2}]").toSeq.sorted)
    }
  }

  test("dynamic partition pruning goes on to reuse the broadcast") {
    val path = folder.resolve("fact").toString
    spark.range(40).selectExpr("id", "id % 8 AS p").write.partitionBy("p").parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("fact")
    val sql = "SELECT f.id, u.v:name::string FROM fact f JOIN u ON f.p = u.v:k::bigint " +
      "WHERE u.v:y::double = 4.5"
    sameAnswers(sql)
    withConf("spark.sql.adaptive.enabled" -> "false") {
      byUs(pushed = true) {
        val text = formatted(sql)
        assert(text.contains("dynamicpruningexpression(cast(p#"), text)
        assert(text.contains("ReusedExchange"), text)
        assert(scans(spark.sql(sql)).map(_.readDataSchema.size) === Seq(0, 0))
      }
    }
  }

  Seq(
    "the partition column has another name in the join" ->
      ("SELECT f.id FROM (SELECT id, p AS day FROM facts) f JOIN u ON f.day = u.v:k::bigint " +
        "WHERE u.v:y::double = 4.5"),
    "two tables prune the same column" ->
      ("SELECT f.id FROM facts f JOIN u a ON f.p = a.v:k::bigint JOIN u b ON f.p = b.v:k::bigint " +
        "WHERE a.v:y::double = 4.5 AND b.v:name::string LIKE '%1%'"),
    "the other side is an aggregate of footers" ->
      ("SELECT f.id FROM facts f JOIN (SELECT max(day) AS day FROM days WHERE id > 3) m " +
        "ON f.p = m.day"),
    "the other side is a join with a pruned table" ->
      ("SELECT /*+ BROADCAST(x) */ f.id FROM facts f JOIN (SELECT g.id FROM facts g JOIN u " +
        "ON g.p = u.v:k::bigint WHERE u.v:y::double = 4.5) x ON f.p = x.id"),
    "the other side has another to_json" ->
      "SELECT f.id FROM facts f JOIN days d ON f.p = d.day WHERE to_json(d.v) LIKE '%3%'"
  ).foreach { case (name, sql) =>
    test(s"dynamic partition pruning reuses the broadcast: $name") {
      val (facts, days) = (folder.resolve("facts"), folder.resolve("days"))
      if (!Files.exists(facts)) {
        spark
          .range(40)
          .selectExpr("id", "id % 8 AS p")
          .write
          .partitionBy("p")
          .parquet(facts.toString)
        spark
          .range(8)
          .selectExpr("id", "id AS day", "parse_json(concat('{\"a\":', id, '}')) AS v")
          .write
          .format("variant-shredded")
          .save(days.toString)
      }
      spark.read.parquet(facts.toString).createOrReplaceTempView("facts")
      spark.read.format("variant-shredded").load(days.toString).createOrReplaceTempView("days")
      sameAnswers(sql)
      byUs(pushed = true) {
        withConf("spark.sql.adaptive.enabled" -> "false") {
          val text = formatted(sql)
          assert(text.contains("dynamicpruningexpression("), text)
          assert(!text.contains("dynamicpruningexpression(true)"), text)
        }
        val query = spark.sql(sql)
        query.collect()
        val executed = query.queryExecution.executedPlan.toString
        assert(!executed.contains("dynamicpruningexpression(true)"), executed)
      }
    }
  }

  test("dynamic partition pruning of both sides of a join") {
    val (left, right) = (folder.resolve("left").toString, folder.resolve("right").toString)
    val made = spark
      .range(40)
      .selectExpr(
        "id",
        "id % 8 AS p",
        "id % 5 AS x",
        "parse_json(concat('{\"a\":', id, '}')) AS v"
      )
    Seq(left, right).foreach(made.write.format("variant-shredded").partitionBy("p").save(_))
    Seq("l" -> left, "r" -> right).foreach { case (name, path) =>
      spark.read.format("variant-shredded").load(path).createOrReplaceTempView(name)
    }
    val text = "SELECT l.v:a::int, r.v:a::int FROM l JOIN r ON l.p = r.x AND l.x = r.p " +
      "WHERE l.v:a::int < 30 AND r.v:a::int > 5 AND l.id < 35 AND r.id > 2"
    sameAnswers(text)
    // Without a broadcast, a subquery of its own prunes each side.
    withConf(
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly" -> "false",
      "spark.sql.optimizer.dynamicPartitionPruning.fallbackFilterRatio" -> "1000"
    ) {
      val wanted = byUs(pushed = false)(rows(spark.sql(text)))
      byUs(pushed = true) {
        val query = spark.sql(text)
        assert(rows(query) === wanted)
        val plan = query.queryExecution.executedPlan.toString
        assert("Subquery dynamicpruning#".r.findAllIn(plan).size >= 2, plan)
      }
    }
  }

  test("reasons for EXPLAIN do not keep Spark from reading a table once") {
    val (fact, dim) = (folder.resolve("fact-2").toString, folder.resolve("dim").toString)
    spark.range(40).selectExpr("id", "id % 8 AS p").write.partitionBy("p").parquet(fact)
    spark.read.parquet(fact).createOrReplaceTempView("fact")
    spark
      .range(8)
      .selectExpr("id AS k", "CAST(id AS INT) AS p", "parse_json(concat('{\"a\":', id, '}')) AS v")
      .write
      .format("variant-shredded")
      .save(dim)
    spark.read.format("variant-shredded").load(dim).createOrReplaceTempView("dim")
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val pruned = formatted("SELECT f.id, d.v FROM fact f JOIN dim d ON f.p = d.p WHERE d.k < 2")
      assert(pruned.contains("dynamicpruningexpression(p#"), pruned)
      withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val part = "(SELECT /*+ REPARTITION(4, p) */ p, v FROM dim)"
        val once = formatted(s"SELECT a.v, array(b.v) FROM $part a JOIN $part b ON a.p = b.p")
        assert(once.contains("ReusedExchange"), once)
      }
    }
  }
}
