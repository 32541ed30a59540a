package io.github.variantshredded.optimizer

import java.nio.file.Files

import scala.util.Random

import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.testing.{Cases, PathSuite}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** `count`, `min` and `max` that are taken from the footers. */
class FooterAggregatesSuite extends PathSuite with AdaptiveSparkPlanHelper {

  private val setting = ReadOptions.AggregateFooters.name

  private val columns = Seq(
    "cast(id AS int) AS i",
    "cast(if(id % 7 = 0, null, id % 100) AS smallint) AS s",
    "cast(id % 50 - 25 AS tinyint) AS y",
    "id * 1000000007L AS l",
    "date_add(date'2020-02-03', cast(id % 900 AS int)) AS d",
    "timestamp'2021-01-02 03:04:05' + make_interval(0, 0, 0, 0, 0, 0, id) AS t",
    "cast(id AS decimal(12, 3)) / 8 AS m",
    "id % 2 = 0 AS b",
    "concat('text ', id % 13) AS x",
    "if(id % 5 = 0, double('NaN'), id / 3.0D) AS f",
    "cast(null AS int) AS nothing",
    "cast(id % 3 AS int) AS p"
  )

  private val clean =
    "to_json(named_struct('i', id, 'o', named_struct('n', id % 31 - 7, 's', 'k' || id)" +
      ", 'b', id % 2 = 0, 'q', cast(id AS decimal(9, 2)) / 4))"

  /** Values of other types in some rows, missing fields, and JSON nulls. */
  private val mixed = "CASE id % 6 WHEN 0 THEN '{\"i\": \"' || id || '\", \"o\": 5}' " +
    "WHEN 1 THEN '{\"i\": null, \"o\": {\"n\": ' || id || '}}' WHEN 2 THEN '{\"o\": {}}' " +
    s"WHEN 3 THEN '[1, 2]' WHEN 4 THEN '{\"i\": ' || id || '.5, \"b\": 1}' ELSE $clean END"

  // As INT96, timestamps have no statistics.
  private def write(path: String, from: Long, until: Long, json: String): Unit =
    withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS")(
      append(path, from, until, json)
    )

  private def append(path: String, from: Long, until: Long, json: String): Unit =
    writer(
      spark
        .range(from, until, 1, 1)
        .selectExpr(columns :+ s"if(id % 97 = 96, null, parse_json($json)) AS v": _*)
    ).option("parquet.block.size", "8000").partitionBy("p").mode("append").save(path)

  private lazy val cleanTable: String = {
    val path = newPath()
    write(path, 0, 2000, clean)
    write(path, 5000, 6000, clean)
    path
  }

  private lazy val mixedTable: String = {
    val path = newPath()
    write(path, 0, 500, clean)
    write(path, 500, 1000, mixed)
    write(path, 900, 2000, clean)
    write(path, 3000, 3100, "'{}'")
    path
  }

  private def answer(table: String, query: String, fromFooters: Boolean): Seq[Row] = {
    reader.load(table).createOrReplaceTempView("t")
    withConf(setting -> fromFooters.toString)(spark.sql(query).collect().toSeq)
  }

  private def metrics(query: DataFrame): Map[String, Long] = {
    query.collect(): Unit
    metricsOfLastRun(query)
  }

  private def metricsOfLastRun(query: DataFrame): Map[String, Long] =
    collect(query.queryExecution.executedPlan) { case scan: BatchScanExec =>
      scan.metrics
    }.flatten.map { case (name, metric) => name -> metric.value }.toMap

  private def summarizes(query: DataFrame): Boolean =
    collect(query.queryExecution.executedPlan) { case scan: BatchScanExec => scan.scan }.exists {
      case scan: VariantScan => scan.pushed.summary.isDefined
      case _                 => false
    }

  private val fields = Seq(
    "i",
    "s",
    "y",
    "l",
    "d",
    "t",
    "m",
    "b",
    "nothing",
    "try_variant_get(v, '$.i', 'bigint')",
    "try_variant_get(v, '$.i', 'int')",
    "try_variant_get(v, '$.i', 'smallint')",
    "try_variant_get(v, '$.o.n', 'tinyint')",
    "try_variant_get(v, '$.b', 'boolean')",
    "try_variant_get(v, '$.q', 'decimal(18, 4)')",
    "try_variant_get(v, '$.q', 'decimal(5, 1)')",
    "try_variant_get(v, '$.nowhere', 'int')"
  )

  private val counted = fields ++ Seq(
    "x",
    "f",
    "variant_get(v, '$.i')",
    "variant_get(v, '$.o')",
    "try_variant_get(v, '$.o.s', 'string')",
    "try_variant_get(v, '$.o.s', 'date')",
    "v",
    "*",
    "1"
  )

  private def conditions(random: Random): String = {
    def number = random.nextInt(7000) - 500
    def one = random.nextInt(9) match {
      case 0 => s"i >= $number"
      case 1 => s"try_variant_get(v, '$$.i', 'bigint') < $number"
      case 2 => s"$number > try_variant_get(v, '$$.i', 'int')"
      case 3 => s"try_variant_get(v, '$$.o.n', 'int') BETWEEN -10 AND ${random.nextInt(40)}"
      case 4 => s"d > date'2020-06-01'"
      case 5 => "try_variant_get(v, '$.i', 'int') IS NOT NULL"
      case 6 => "s IS NOT NULL"
      case 7 => s"p >= ${random.nextInt(3)}"
      case 8 => s"x LIKE '%1'"
    }
    Seq.fill(random.nextInt(3))(one) match {
      case Nil   => ""
      case conds => conds.mkString(" WHERE ", " AND ", "")
    }
  }

  private def query(random: Random): String = {
    def one[T](values: Seq[T]): T = values(random.nextInt(values.size))
    val calls = Seq.fill(1 + random.nextInt(4)) {
      random.nextInt(5) match {
        case 0 | 1 => s"count(${one(counted)})"
        case 2     => s"min(${one(fields)})"
        case 3     => s"max(${one(fields)})"
        case 4     =>
          val field = one(fields)
          s"max($field), min($field), count($field)"
      }
    }
    val grouped = random.nextInt(3) == 0
    val keys = if (grouped) "p, " else ""
    val having = if (grouped) " GROUP BY p ORDER BY p" else ""
    s"SELECT $keys${calls.mkString(", ")} FROM t${conditions(random)}$having"
  }

  for (table <- Seq("clean", "mixed"))
    test(s"random aggregates of $table values are the same without footers") {
      val path = if (table == "clean") cleanTable else mixedTable
      var used = 0
      (1 to Cases(12)).foreach { seed =>
        val text = query(new Random(seed.toLong))
        val expected = answer(path, text, fromFooters = false)
        val all = spark.sql(text)
        assert(all.collect().toSeq === expected, text)
        if (summarizes(all)) {
          used += metricsOfLastRun(all).getOrElse("rowGroupsSummarized", 0L).toInt
        }
      }
      assert(used > Cases(8))
    }

  test("no data page is read where the statistics are exact") {
    reader.load(cleanTable).createOrReplaceTempView("t")
    Seq(
      "SELECT count(v:i::int), min(v:i::int) FROM t",
      "SELECT max(v:o.n::bigint), count(*) FROM t",
      "SELECT max(t), min(d) FROM t",
      "SELECT min(m), max(y), min(b) FROM t",
      "SELECT p, max(i), count(s) FROM t GROUP BY p",
      "SELECT max(v:q::decimal(30,10)) - min(v:q::decimal(30,10)) FROM t",
      "SELECT count(v:o.s) FROM t",
      "SELECT count(v), count(v:i) FROM t"
    ).foreach { text =>
      val found = metrics(spark.sql(text))
      assert(found("rowGroupsSummarized") > 6, text)
      assert(found("leafBytesRead") === 0, text)
      assert(found("rowGroupsRead") === 0, text)
    }
  }

  test("a condition that most row groups meet reads only the others") {
    reader.load(cleanTable).createOrReplaceTempView("t")
    val found = metrics(spark.sql("SELECT count(*), max(i) FROM t WHERE i BETWEEN 600 AND 5500"))
    assert(found("rowGroupsSummarized") > found("rowGroupsRead"))
    assert(found("rowGroupsRead") > 0)
    assert(found("rowGroupsSkippedByStatistics") > 0)
  }

  test("strict casts fail as they do without footers") {
    Seq("SELECT max(v:i::tinyint) FROM t", "SELECT count(v:o.n::int) FROM t WHERE v:i::tinyint > 3")
      .foreach { text =>
        val errors = Seq(true, false).map { fromFooters =>
          intercept[Exception](answer(mixedTable, text, fromFooters)).getMessage.takeWhile(_ != ']')
        }
        assert(errors.distinct.size === 1, errors)
        assert(errors.head.startsWith("[INVALID_VARIANT_CAST"), errors)
      }
  }

  test(
    "typed values outside of the range of their type are the errors that they are when decoded"
  ) {
    val path = Files.createDirectories(java.nio.file.Path.of(newPath()))
    ParquetFixture.write(
      path.resolve("part.parquet"),
      """message m { optional group v (VARIANT(1)) {
        |  required binary metadata;
        |  optional binary value;
        |  optional group typed_value {
        |    required group a { optional binary value; optional int32 typed_value (INTEGER(8,true)); }
        |    required group d { optional binary value; optional int32 typed_value (DECIMAL(9,2)); }
        |    required group n { optional binary value; optional int32 typed_value (INTEGER(8,true)); }
        |  } } }""".stripMargin,
      Seq(1 -> 5, 300 -> 1000000000).map { case (small, unscaled) =>
        val dictionary = Array[Byte](1, 3, 0, 1, 2, 3, 'a', 'd', 'n')
        Map(
          "v" -> Map[String, Any](
            "metadata" -> dictionary,
            "typed_value" -> Map(
              "a" -> Map("typed_value" -> small),
              "d" -> Map("typed_value" -> unscaled),
              "n" -> Map("typed_value" -> 7)
            )
          )
        )
      }
    )
    val wide = "v:d::decimal(18,2)"
    Seq("max(v:a::int)", "count(v:a::int)", s"min($wide)", s"count($wide)").foreach { aggregate =>
      val errors = Seq(true, false).map { fromFooters =>
        intercept[Exception] {
          answer(path.toString, s"SELECT $aggregate FROM t", fromFooters)
        }.getMessage
      }
      assert(errors.head.contains("is out of the range of"), aggregate)
      assert(errors.distinct.size === 1, errors)
    }
    assert(answer(path.toString, "SELECT max(v:n::int) FROM t", fromFooters = true) === Seq(Row(7)))
    assert(metrics(spark.sql("SELECT max(v:n::int) FROM t"))("rowGroupsSummarized") === 1)
  }

  test("what footers cannot answer") {
    reader.load(cleanTable).createOrReplaceTempView("t")
    Seq(
      "SELECT sum(i), count(*) FROM t",
      "SELECT count(DISTINCT i) FROM t",
      "SELECT max(x) FROM t",
      "SELECT max(f) FROM t",
      "SELECT max(i) FILTER (WHERE i > 3) FROM t",
      "SELECT i % 2, count(*) FROM t GROUP BY i % 2",
      "SELECT max(i + 1) FROM t",
      "SELECT max(v IS NOT NULL), count(v) FROM t",
      "SELECT count(*) FROM t WHERE i % 2 = 0",
      "SELECT count(*) FROM t WHERE i = 5 OR s > 3"
    ).foreach(text => assert(!summarizes(spark.sql(text)), text))
  }

  test("statistics that are missing or contradict each other") {
    val path = newPath()
    writer(spark.range(0, 100, 1, 1).selectExpr("cast(id AS int) AS i"))
      .option("parquet.column.statistics.enabled", "false")
      .save(path)
    val text = "SELECT count(i), max(i), min(i), count(*) FROM t"
    assert(answer(path, text, fromFooters = true) === Seq(Row(100, 99, 0, 100)))
    reader.load(path).createOrReplaceTempView("t")
    assert(metrics(spark.sql("SELECT max(i) FROM t"))("rowGroupsSummarized") === 0)
  }

  test("columns of files that are read as other types end as they do without footers") {
    val path = written(spark.range(0, 100, 1, 1).selectExpr("id", "cast(id AS int) AS i"))
    Seq("id int, i int", "id bigint, i bigint", "id smallint, i smallint").foreach { schema =>
      def of(fromFooters: Boolean) = withConf(setting -> fromFooters.toString) {
        val df = reader.option("schema", schema).load(path).selectExpr("max(id)", "min(i)")
        scala.util.Try(df.collect().toSeq).toEither.left.map(_.getClass)
      }
      assert(of(fromFooters = true) === of(fromFooters = false), schema)
    }
  }

  // Spark's own push-down of aggregates takes the statistics of another leaf there (SPARK-60598).
  test("columns behind nested columns and Variants") {
    val path = newPath()
    val rows = spark.range(0, 900, 1, 1)
    val before = Seq(
      "named_struct('i', id + 5000, 'deep', named_struct('i', id - 5000, 'j', 1L)) AS st",
      "array(id + 9000, id + 9001) AS a",
      "map('k', id - 9000) AS m",
      "parse_json('{\"i\":' || (id + 70000) || ',\"o\":{\"i\":' || (id - 70000) || '}}') AS v"
    )
    Seq(
      before :+ "id % 100 AS i" :+ "-id AS l",
      "id * 3 AS l" +: before.reverse :+ "id AS i",
      Seq(before(3), "id AS i", before(0), "id AS l", before(1), before(2))
    ).foreach(columns => writer(rows.selectExpr(columns: _*)).mode("append").save(path))
    rows
      .selectExpr(before :+ "id + 1 AS i" :+ "-id - 1 AS l": _*)
      .write
      .mode("append")
      .parquet(path)
    val texts = for {
      column <- Seq("i", "l", "v:i::bigint", "v:o.i::bigint", "st.i", "st.deep.i", "a[0]", "m.k")
    } yield s"SELECT min($column), max($column), count($column) FROM t"
    texts.foreach { text =>
      val expected = answer(path, text, fromFooters = false)
      assert(answer(path, text, fromFooters = true) === expected, text)
    }
    assert(answer(path, texts.head, fromFooters = true) === Seq(Row(0, 900, 3600)))
    assert(answer(path, texts(1), fromFooters = true) === Seq(Row(-900, 2697, 3600)))
    assert(metrics(spark.sql(texts(1)))("rowGroupsSummarized") === 4)
    assert(metrics(spark.sql(texts(2)))("rowGroupsSummarized") > 0)
  }

  test("an empty table, and a table of empty files") {
    val path = newPath()
    writer(spark.range(0, 0, 1, 1).selectExpr("cast(id AS int) AS i", "parse_json('1') AS v"))
      .save(path)
    assert(
      answer(path, "SELECT count(*), count(i), max(i), count(v:a) FROM t", fromFooters = true) ===
        Seq(Row(0, 0, null, 0))
    )
  }
}
