package io.github.variantshredded.bench

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Fields of a Variant against the same fields as plain typed columns, both in Parquet with row
 * groups of 16 MiB: the queries of JSONBench and a few more.
 *
 * Arguments: number of events, runs, a file of JSON lines in the shape of Bluesky's events or `-`
 * for made-up ones, and optionally a folder where the Parquet files are kept for the next time and
 * a part of the titles of the queries to run.
 */
object ExtractionBenchmark {

  def main(args: Array[String]): Unit = {
    val events = args.lift(0).fold(500000L)(_.toLong)
    val runs = args.lift(1).fold(7)(_.toInt)
    val json = args.lift(2).filter(_ != "-")
    val kept = args.lift(3).map(Paths.get(_))
    val spark = SparkSession
      .builder()
      .master("local[1]")
      .appName("extraction benchmark")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      // Reads of several ranges at once are not counted by Hadoop.
      .config("spark.hadoop.parquet.hadoop.vectored.io.enabled", "false")
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    val folder = kept.getOrElse(Files.createTempDirectory("variant-shredded-bench"))
    try {
      if (!Files.exists(folder.resolve("shredded"))) write(spark, folder, events, json)
      compare(spark, folder, new Interleaved(spark, runs), args.lift(4).getOrElse(""))
    } finally {
      spark.stop()
      if (kept.isEmpty) org.apache.commons.io.FileUtils.deleteDirectory(folder.toFile)
    }
  }

  private val RowGroup = 16L * 1024 * 1024

  private val Plain = "did string, time_us bigint, kind string, " +
    "commit struct<rev string, operation string, collection string, rkey string, cid string>"

  private def write(spark: SparkSession, folder: Path, events: Long, json: Option[String]): Unit = {
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

  private def compare(
      spark: SparkSession,
      folder: Path,
      interleaved: Interleaved,
      only: String
  ): Unit = {
    spark.read.parquet(folder.resolve("plain").toString).createOrReplaceTempView("plain")
    spark.read
      .format("variant-shredded")
      .load(folder.resolve("shredded").toString)
      .createOrReplaceTempView("shredded")
    Queries.filter(_._1.contains(only)).foreach { case (title, query) =>
      def sql(table: String, field: String => String): DataFrame =
        spark.sql(Fields.foldLeft(query.replace("{t}", table)) { case (text, name) =>
          text.replace(s"{$name}", field(name))
        })
      val plain = sql("plain", identity)
      val shredded = sql("shredded", name => s"v:${PathOf(name)}")
      val same = plain.collect().toSeq == shredded.collect().toSeq
      if (!same) throw new IllegalStateException(s"the answers to '$title' differ")
      interleaved.compare(
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

  private def noop(df: DataFrame): Unit = df.write.format("noop").mode("overwrite").save()
}
