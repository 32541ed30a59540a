package io.github.variantshredded.read.scan

import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.{ExplainedScan, Golden, PathSuite}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.FormattedMode
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.streaming.Trigger

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
    "no column" -> "SELECT count(*) FROM t",
    "aggregates of the footers" -> "SELECT count(*), min(n), max(n), count(v:k::int) FROM t",
    "columns and filters of the files" ->
      """SELECT _metadata.file_name, v:k::int FROM variant_shredded.`PATH`
        |  WHERE _metadata.file_size > 1""".stripMargin
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

  private def section(name: String, query: String, explanation: String): String =
    s"== $name ==\n$query\n\n${ExplainedScan.of(explanation, path)}\n"

  /** Runs the query as a stream, and explains its last batch. */
  private def streamed(query: DataFrame): String = {
    val ignore: (DataFrame, Long) => Unit = (_, _) => ()
    val stream = query.writeStream
      .foreachBatch(ignore)
      .option("checkpointLocation", newPath())
      .trigger(Trigger.AvailableNow())
      .start()
    stream.awaitTermination()
    stream match {
      case wrapper: StreamingQueryWrapper =>
        wrapper.streamingQuery.lastExecution.explainString(FormattedMode)
      case other => fail(s"not a query of this JVM: $other")
    }
  }

  test("EXPLAIN FORMATTED shows what the scan does, and why it does not do more") {
    reader.load(path).createOrReplaceTempView("t")
    spark.udf.register("even", (n: Int) => n % 2 == 0)
    val settings = ExplainedScan.settings :+ (ReadOptions.PushDownExtractions.name -> "true")
    val sections = withConf(settings: _*) {
      queries.map { case (name, sql) =>
        val query = sql.replace("PATH", path)
        section(name, sql, spark.sql(s"EXPLAIN FORMATTED $query").head().getString(0))
      } :+ section(
        "a stream",
        "SELECT v:k::int FROM STREAM t WHERE v:name::string = 'n1'",
        streamed(
          spark.readStream
            .format("variant-shredded")
            .schema(spark.table("t").schema)
            .load(path)
            .where("v:name::string = 'n1'")
            .selectExpr("v:k::int")
        )
      )
    }
    Golden.check("explain.txt", sections.mkString("\n"))
  }
}
