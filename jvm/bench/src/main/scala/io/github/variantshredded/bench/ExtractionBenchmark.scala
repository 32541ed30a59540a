package io.github.variantshredded.bench

import java.nio.file.Files

import org.apache.spark.sql.DataFrame

/**
 * Fields of a Variant against the same fields as plain typed columns, both in Parquet with row
 * groups of 16 MiB: the queries of JSONBench and a few more.
 *
 * Arguments: see [[BenchmarkRun]].
 */
object ExtractionBenchmark {
  import BenchmarkRun.noop

  def main(args: Array[String]): Unit = BenchmarkRun(
    "extraction benchmark",
    args,
    Map("spark.sql.shuffle.partitions" -> "2")
  ) { run =>
    if (!Files.exists(run.folder.resolve("shredded"))) write(run)
    compare(run)
  }

  private val RowGroup = 16L * 1024 * 1024

  private val Plain = "did string, time_us bigint, kind string, " +
    "commit struct<rev string, operation string, collection string, rkey string, cid string>"

  private def write(run: BenchmarkRun): Unit = {
    import run.{events, folder, json, spark}
    println(s"writing ${json.getOrElse(s"$events events")}")
    val texts = json
      .fold(Events.posts(spark, events, 4))(path => spark.read.text(path).toDF("json"))
      .repartition(4)
      .cache()
    texts
      .selectExpr(s"from_json(json, '$Plain') AS e")
      .selectExpr("e.did", "e.time_us", "e.kind", "e.commit.*")
      .write
      .option("parquet.block.size", RowGroup)
      .parquet(folder.resolve("plain").toString)
    texts
      .selectExpr("parse_json(json) AS v")
      .write
      .format("variant-shredded")
      .option("parquet.block.size", RowGroup)
      .save(folder.resolve("shredded").toString)
    texts.unpersist()
  }

  private def compare(run: BenchmarkRun): Unit = {
    import run.{folder, spark}
    spark.read.parquet(folder.resolve("plain").toString).createOrReplaceTempView("plain")
    spark.read
      .format("variant-shredded")
      .load(folder.resolve("shredded").toString)
      .createOrReplaceTempView("shredded")
    Queries.filter(query => run.wants(query._1)).foreach { case (title, query) =>
      def sql(table: String, field: String => String): DataFrame =
        spark.sql(Fields.foldLeft(query.replace("{t}", table)) { case (text, name) =>
          text.replace(s"{$name}", field(name))
        })
      val plain = sql("plain", identity)
      val shredded = sql("shredded", name => s"v:${PathOf(name)}")
      val same = plain.collect().toSeq == shredded.collect().toSeq
      if (!same) throw new IllegalStateException(s"the answers to '$title' differ")
      run.interleaved.compare(
        title,
        "plain columns, Spark's Parquet source" -> (() => noop(plain)),
        "fields of a Variant, variant-shredded" -> (() => noop(shredded))
      )
    }
  }

  private val Fields = Seq("did", "time_us", "kind", "operation", "collection")

  private val PathOf = Map(
    "did" -> "did::string",
    "time_us" -> "time_us::bigint",
    "kind" -> "kind::string",
    "operation" -> "commit.operation::string",
    "collection" -> "commit.collection::string"
  )

  private val Created = "{kind} = 'commit' AND {operation} = 'create'"

  private val Queries = Seq(
    "sum of a bigint" -> "SELECT sum({time_us} - 1732206349000000) FROM {t}",
    "count where a bigint, skipping nothing" -> "SELECT count(*) FROM {t} WHERE {time_us} % 2 = 0",
    "count where a string, skipping nothing" -> "SELECT count(*) FROM {t} WHERE {did} LIKE '%z%'",
    "JSONBench Q1" ->
      "SELECT {collection} AS event, count(*) AS n FROM {t} GROUP BY event ORDER BY n DESC, event",
    "JSONBench Q2" ->
      s"""SELECT {collection} AS event, count(*) AS n, count(DISTINCT {did}) AS users FROM {t}
         |WHERE $Created GROUP BY event ORDER BY n DESC, event""".stripMargin,
    "JSONBench Q3" ->
      s"""SELECT {collection} AS event, hour(timestamp_micros({time_us})) AS hour, count(*) AS n
         |FROM {t} WHERE $Created AND {collection} IN ('app.bsky.feed.post', 'app.bsky.feed.repost',
         |'app.bsky.feed.like') GROUP BY event, hour ORDER BY hour, event""".stripMargin,
    "JSONBench Q4" ->
      s"""SELECT {did} AS who, min(timestamp_micros({time_us})) AS first FROM {t}
         |WHERE $Created AND {collection} = 'app.bsky.feed.post'
         |GROUP BY who ORDER BY first, who LIMIT 3""".stripMargin,
    "JSONBench Q5" ->
      s"""SELECT {did} AS who, max({time_us}) - min({time_us}) AS span FROM {t}
         |WHERE $Created AND {collection} = 'app.bsky.feed.post'
         |GROUP BY who ORDER BY span DESC, who LIMIT 3""".stripMargin
  )
}
