package io.github.variantshredded.optimizer

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, expr}

/**
 * Limits above sorts: Spark takes the first rows of each task and merges them, and evaluates what
 * is above the limit only for the rows that are left.
 */
class LimitsSuite extends ExtractionFixture {

  override protected def sessionSettings: Map[String, String] =
    Map("spark.sql.adaptive.enabled" -> "false")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // The field `x` is a number in the rows with the least `o.p`, and each task has such rows.
    spark
      .sql("""SELECT id, parse_json(concat('{"o":{"p":', id, '},"name":"n', id % 3, '","x":',
             |  IF(id < 10, string(id), '"no"'), '}')) AS v
             |  FROM (SELECT id * 17 % 40 AS id FROM range(0, 40, 1, 4))""".stripMargin)
      .write
      .parquet(folder.resolve("w").toString)
  }

  override protected def views(format: String): Unit = {
    super.views(format)
    spark.read.format(format).load(folder.resolve("w").toString).createOrReplaceTempView("w")
  }

  private final val TopN = "TakeOrderedAndProject"

  private def operators(sql: String): Seq[String] = byUs(pushed = true)(chosenOperators(sql))

  private val first = "(SELECT * FROM w ORDER BY v:o.p::double LIMIT 3)"
  private val next = "(SELECT * FROM w ORDER BY v:o.p::double LIMIT 3 OFFSET 2)"

  Seq(
    "a cast" -> s"SELECT sum(x) FROM (SELECT v:x::int AS x FROM $first)",
    "a cast, with OFFSET" -> s"SELECT sum(x) FROM (SELECT v:x::int AS x FROM $next)",
    "a group" -> s"SELECT v:name::string AS n, count(*), sum(v:x::int) FROM $first GROUP BY 1",
    "another name" -> s"SELECT sum(n), sum(w:x::int) FROM (SELECT id AS n, v AS w FROM $first)",
    "another name, with OFFSET" ->
      s"SELECT sum(n), sum(w:x::int) FROM (SELECT id AS n, v AS w FROM $next)",
    "to_json" ->
      s"SELECT max(j), sum(x) FROM (SELECT to_json(v:o) AS j, v:x::int AS x FROM $first)",
    "to_json of the Variant" -> s"SELECT max(to_json(v)), max(v:x::int) FROM $first",
    "casts and columns in another order" ->
      s"SELECT max(struct(x, id, n)) FROM (SELECT v:x::int x, id, v:name::string n FROM $first)",
    "the key of the sort" ->
      s"SELECT max(p), max(x) FROM (SELECT v:o.p::double AS p, v:x::int AS x FROM $first)",
    "a filter above" -> s"SELECT sum(x) FROM (SELECT v:x::int AS x, id FROM $first) WHERE id > 0",
    "the sort below a filter" ->
      """SELECT sum(v:x::int) FROM (SELECT * FROM w WHERE v:name::string < 'n2'
        |  ORDER BY v:o.p::int LIMIT 3)""".stripMargin,
    "a join" -> s"SELECT a.v:x::int, w.v:name::string FROM $first a JOIN w ON a.id = w.v:o.p::int",
    "a union" -> s"SELECT v:x::int FROM (SELECT v FROM $first UNION ALL SELECT v FROM $next)",
    "a subquery" -> s"SELECT id FROM w WHERE id IN (SELECT v:x::int FROM $first)",
    "the root" -> s"SELECT v:x::int AS x, id AS n FROM $first",
    "the root, with OFFSET" -> s"SELECT v:x::int AS x, id AS n FROM $next",
    "a limit in a limit" ->
      s"SELECT max(v:x::int) FROM (SELECT * FROM $first ORDER BY v:name::string, id LIMIT 2)",
    "a window without partitions" ->
      """SELECT sum(v:x::int) FROM (SELECT v, row_number() OVER (ORDER BY v:o.p::double) AS r
        |  FROM w) WHERE r <= 3""".stripMargin
  ).foreach { case (name, sql) =>
    test(s"the first rows of a sort, and above: $name") {
      sameAnswers(sql)
      assert(operators(sql).contains(TopN), operators(sql))
      assert(!operators(sql).contains("GlobalLimit"), operators(sql))
    }
  }

  Seq(
    "the first of each group" ->
      """SELECT sum(v:x::int) FROM (SELECT v, row_number() OVER (PARTITION BY v:name::string
        |  ORDER BY v:o.p::double) AS r FROM w) WHERE r <= 2""".stripMargin,
    "a rank" ->
      """SELECT sum(x) FROM (SELECT v:x::int AS x, r FROM (SELECT v,
        |  rank() OVER (PARTITION BY v:name::string ORDER BY v:o.p::double) AS r FROM w)
        |  WHERE r < 3)""".stripMargin
  ).foreach { case (name, sql) =>
    test(s"windows take only the rows that a predicate leaves: $name") {
      sameAnswers(sql)
      assert(operators(sql).contains("WindowGroupLimit"), operators(sql))
    }
  }

  test("the first rows of a sort by DataFrames: as rows, as an RDD, and written") {
    def query: DataFrame = spark
      .table("w")
      .orderBy(expr("v:o.p::double"))
      .limit(3)
      .select(expr("v:x::int AS x"), col("id").as("n"))
    byUs(pushed = true) {
      val wanted = Seq("[0, 0]", "[1, 1]", "[2, 2]")
      assert(rows(query) === wanted)
      assert(query.rdd.collect().map(_.getInt(0)).toSeq === Seq(0, 1, 2))
      val to = folder.resolve("firstRows").toString
      query.write.format("variant-shredded").save(to)
      assert(rows(spark.read.format("variant-shredded").load(to)) === wanted)
    }
  }

  test("an error of the rows that the limit leaves") {
    val sql = "SELECT sum(v:x::int) FROM (SELECT * FROM w ORDER BY v:o.p::double LIMIT 12)"
    Seq(true, false).foreach { pushed =>
      val error = byUs(pushed)(intercept[Exception](spark.sql(sql).collect()))
      assert(error.getMessage.contains("INVALID_VARIANT_CAST"), error.getMessage)
    }
  }
}
