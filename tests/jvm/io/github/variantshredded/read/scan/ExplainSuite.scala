package io.github.variantshredded.read.scan

import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.{Golden, PathSuite}

/** What EXPLAIN FORMATTED says of a scan, by query; kept in `tests/golden/explain.txt`. */
class ExplainSuite extends PathSuite {

  private val queries: Seq[(String, String)] = Seq(
    "extractions" -> "SELECT v:k::int, try_variant_get(v, '$.name', 'string') FROM t",
    "an element of an array, and a whole array" -> "SELECT v:l[0]::int, v:l::array<int> FROM t",
    "predicates that are pushed down" ->
      """SELECT n FROM t WHERE v:k::int > 2 AND n < 30 AND length(v:name::string) > 1
        |  AND coalesce(v:k::int, 1) > n""".stripMargin,
    "predicates that are not pushed down" ->
      """SELECT n FROM t WHERE even(v:k::int) AND to_json(w) LIKE '%y%' AND rand(1) < v:o.p::double
        |  AND p + n > 3""".stripMargin,
    "extractions that are not pushed down" ->
      "SELECT variant_get(v, concat('$.k', n), 'int'), to_json(w) FROM t",
    "the whole Variant beside a field" -> "SELECT v, v:k::int FROM t",
    "a value at a path as a Variant" -> "SELECT v:o, schema_of_variant(v:l) FROM t",
    "whether there is a value" ->
      """SELECT v:o.q IS NULL, is_variant_null(v:o.q), w IS NOT NULL FROM t
        |  WHERE v:k IS NOT NULL AND exists(v:l::array<int>, x -> x > 35)""".stripMargin,
    "a limit" -> "SELECT v:k::int FROM t LIMIT 5",
    "a partition filter" -> "SELECT v:k::int FROM t WHERE p = 1 AND v:name::string LIKE 'n%'",
    "several Variant columns" ->
      "SELECT v:k::int + w:y::int, s.u:a::string FROM t WHERE s.u:a::int = 3 AND s.m > 1",
    "more extractions than are shown" ->
      s"SELECT ${(1 to 30).map(i => s"v:f$i::int").mkString(", ")} FROM t",
    "no column" -> "SELECT count(*) FROM t"
  )

  private lazy val path = written(
    spark
      .range(0, 40, 1, 1)
      .selectExpr(
        "cast(id as int) as n",
        "cast(id % 2 as int) as p",
        """parse_json(concat('{"k":', id % 5, ',"name":"n', id % 4, '","l":[', id, ',', id + 1,
          |  '],"o":{"p":', id / 2, ',"q":null}}')) as v""".stripMargin,
        """parse_json(concat('{"y":', id, '}')) as w""",
        """named_struct('m', id, 'u', parse_json(concat('{"a":', id, '}'))) as s"""
      ),
    "p"
  )

  /** The part of the explanation that is about the scan, without what each run has anew. */
  private def scan(sql: String): String = {
    val text = spark.sql(s"EXPLAIN FORMATTED $sql").head().getString(0)
    val nodes = text.split("\n\n").map(_.trim).filter(_.matches("(?s)\\(\\d+\\) BatchScan .*"))
    assert(nodes.length === 1, text)
    nodes.head
      .replaceAll("^\\(\\d+\\) ", "")
      .replace(path, "PATH")
      .replaceAll("#\\d+L?", "")
      .replaceAll("(?m)[ ]+$", "")
      // Spark's own text of the predicates.
      .replaceAll("(?m)^DataFilters: .*\n", "")
  }

  test("EXPLAIN FORMATTED shows what the scan does, and why it does not do more") {
    reader.load(path).createOrReplaceTempView("t")
    spark.udf.register("even", (n: Int) => n % 2 == 0)
    // The text is the same whatever the width of the session's fields and lists is.
    val settings = Seq(
      "spark.sql.session.timeZone" -> "UTC",
      ReadOptions.PushDownExtractions.name -> "true",
      "spark.sql.maxMetadataStringLength" -> "4000",
      "spark.sql.debug.maxToStringFields" -> "100"
    )
    val sections = withConf(settings: _*) {
      queries.map { case (name, sql) => s"== $name ==\n$sql\n\n${scan(sql)}\n" }
    }
    Golden.check("explain.txt", sections.mkString("\n"))
  }
}
