package io.github.variantshredded.optimizer

import scala.collection.mutable

import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.streaming.{OutputMode, Trigger}

/** Queries on micro-batches: the answers of batches, and of micro-batches without push-down. */
class StreamPushDownSuite extends PathSuite {

  private final val Schema = "n INT, s STRUCT<v: VARIANT>, p INT, v VARIANT"

  private lazy val table: String = {
    val path = newPath()
    Seq(0, 10, 20).foreach { from =>
      val rows = spark
        .range(from.toLong, from.toLong + 10, 1, 1)
        .selectExpr(
          "cast(id AS int) AS n",
          "cast(id % 3 AS int) AS p",
          """parse_json(format_string('{"n": %d, "t": "%s", "m": %s, "o": {"k": %d}, "a": [%d, 7],
            "at": "2024-01-01 00:00:%02d"}', id, if(id % 2 = 0, 'even', 'odd'),
            if(id % 5 = 0, '"none"', cast(id AS string)), id * 10, id, id)) AS v"""
        )
        .selectExpr("n", "named_struct('v', v) AS s", "p", "v")
      writer(rows).partitionBy("p").mode("append").save(path)
    }
    path
  }

  private def stream(): DataFrame = spark.readStream
    .format("variant-shredded")
    .schema(Schema)
    .option("maxFilesPerTrigger", "4")
    .load(table)

  private def batch(): DataFrame = reader.schema(Schema).load(table)

  /** The rows of all batches, and the scans of the last one. */
  private def run(df: DataFrame, mode: OutputMode): (Seq[String], Seq[VariantScan]) = {
    val rows = mutable.Buffer.empty[String]
    val collect: (DataFrame, Long) => Unit = (found, _) => {
      val texts = found.collect().map(_.toString)
      rows.synchronized {
        if (mode == OutputMode.Complete) rows.clear()
        rows ++= texts
      }
      ()
    }
    val query = df.writeStream
      .foreachBatch(collect)
      .outputMode(mode)
      .option("checkpointLocation", newPath())
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    val scans = query match {
      case wrapper: StreamingQueryWrapper =>
        wrapper.streamingQuery.lastExecution.optimizedPlan.collect {
          case relation: StreamingDataSourceV2ScanRelation => relation.scan
        }
      case other => fail(s"not a query of this JVM: $other")
    }
    (rows.toSeq.sorted, scans.collect { case scan: VariantScan => scan })
  }

  private val Append = OutputMode.Append
  private val Complete = OutputMode.Complete

  private val queries: Seq[(String, OutputMode, DataFrame => DataFrame)] = Seq(
    ("a field", Append, _.selectExpr("v:n::int", "n")),
    (
      "predicates",
      Append,
      _.where("v:t::string = 'even' AND p = 1 AND n > 3").selectExpr("v:n::int")
    ),
    (
      "casts in branches",
      Append,
      _.selectExpr("CASE WHEN n % 5 > 0 THEN v:m::int END", "try_variant_get(v, '$.m', 'int')")
    ),
    ("objects and arrays", Append, _.selectExpr("to_json(v:o)", "v:a::array<int>", "v:o.k::long")),
    ("a Variant in a struct", Append, _.where("s.v:n::int < 20").selectExpr("s.v:o.k::int", "n")),
    ("the Variant and its fields", Append, _.selectExpr("to_json(v)", "v:n::int")),
    ("metadata", Append, _.selectExpr("_metadata.file_name", "_metadata.row_index", "v:n::int")),
    ("elements", Append, _.selectExpr("explode(v:a::array<int>) AS e").where("e != 7")),
    ("a column of partitions alone", Append, _.selectExpr("p")),
    ("sums", Complete, _.groupBy("p").agg(expr("sum(v:n::int)"), expr("max(v:o.k::int)"))),
    ("groups by fields", Complete, _.groupBy(expr("v:t::string")).count()),
    (
      "filters above groups",
      Complete,
      _.groupBy(expr("v:t::string AS t")).count().where("t = 'odd'")
    ),
    (
      "rows without duplicates",
      Append,
      _.selectExpr("v:t::string AS t", "v:n::int % 4 AS m").dropDuplicates("t", "m").selectExpr("t")
    ),
    (
      "a watermark",
      Append,
      _.selectExpr("v:at::string::timestamp AS at", "v", "n")
        .withWatermark("at", "1 hour")
        .where("v:n::int > 4")
        .selectExpr("v:n::int", "at")
    ),
    (
      "a join with a batch",
      Append,
      df =>
        df.as("l")
          .join(batch().as("r"), expr("l.v:n::int = r.v:o.k::int"))
          .selectExpr("l.v:t::string", "r.v:t::string", "r.n")
    ),
    (
      "a union with itself",
      Append,
      df =>
        df.where("v:n::int > 5")
          .selectExpr("v:n::int AS x")
          .union(df.where("p = 0").selectExpr("v:o.k::int AS x"))
    )
  )

  queries.foreach { case (name, mode, query) =>
    test(s"the same answer: $name") {
      val (pushed, scans) = run(query(stream()), mode)
      val (plain, _) = withConf(
        "spark.sql.variantShredded.pushDownExtractions" -> "false",
        "spark.sql.variantShredded.pushDownPredicates" -> "false"
      )(run(query(stream()), mode))
      val once = query(batch()).collect().map(_.toString).toSeq.sorted
      assert(pushed === once)
      assert(plain === once)
      assert(pushed.nonEmpty)
      if (!Set("a column of partitions alone", "a union with itself")(name))
        assert(scans.exists(_.pushed.extractions.nonEmpty))
    }
  }

  test("a cast that fails ends the query, with push-down and without") {
    Seq("true", "false").foreach { on =>
      withConf("spark.sql.variantShredded.pushDownExtractions" -> on) {
        val error = intercept[Exception](run(stream().selectExpr("v:m::int"), Append))
        assert(error.getMessage.contains("INVALID_VARIANT_CAST"), error.getMessage)
      }
    }
  }

  // Each side is a directory to which a test adds files.
  private def side(path: String): DataFrame =
    spark.readStream.format("variant-shredded").schema("n INT, p INT, v VARIANT").load(path)

  private def add(path: String, from: Int): Unit =
    writer(rows(from, from + 4)).partitionBy("p").mode("append").save(path)

  /** Joins the sides by a field of their Variants. */
  private def joinedByField(left: String, right: String): DataFrame =
    side(left)
      .as("l")
      .join(side(right).as("r"), expr("l.v:n::int = r.v:n::int"))
      .selectExpr("l.v:n::int AS n", "r.v AS v")

  test("the state of a join of streams stays valid when push-down is switched off and on") {
    val (left, right, to, checkpoint) = (newPath(), newPath(), newPath(), newPath())
    def joined(): Unit = writeStream(joinedByField(left, right), to, checkpoint)
    add(left, 0)
    add(right, 8)
    joined()
    withConf("spark.sql.variantShredded.pushDownExtractions" -> "false") {
      add(right, 0)
      add(left, 4)
      joined()
    }
    add(right, 4)
    add(left, 8)
    joined()
    assert(numbers(reader.load(to)) === (0 until 12))
  }

  test("a join of streams with to_json is restarted when one side has no new files") {
    val (left, right, to, checkpoint) = (newPath(), newPath(), newPath(), newPath())
    def joined(): Unit = {
      val rows = side(left)
        .selectExpr("n", "to_json(coalesce(v, parse_json('{}'))) AS j")
        .as("l")
        .join(side(right).as("r"), expr("coalesce(l.n, -1) = coalesce(r.n, -2)"))
        .selectExpr("l.n AS n", "parse_json(l.j) AS v")
      writeStream(rows, to, checkpoint)
    }
    add(left, 0)
    add(left, 4)
    add(right, 0)
    joined()
    add(right, 4)
    joined()
    assert(numbers(reader.load(to)) === (0 until 8))
  }

  test("the state of a join of streams that begins without push-down stays valid with it") {
    val (left, right, to, checkpoint) = (newPath(), newPath(), newPath(), newPath())
    def joined(pushed: Boolean): Unit =
      withConf("spark.sql.variantShredded.pushDownExtractions" -> pushed.toString)(
        writeStream(joinedByField(left, right), to, checkpoint)
      )
    add(left, 0)
    add(left, 4)
    add(right, 0)
    joined(pushed = false)
    // The left side has no new files, and so no scan.
    add(right, 4)
    joined(pushed = true)
    add(right, 8)
    joined(pushed = false)
    add(left, 8)
    joined(pushed = true)
    assert(numbers(reader.load(to)) === (0 until 12))
  }
}
