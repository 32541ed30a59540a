package io.github.variantshredded.bench

import java.nio.file.Files

import org.apache.spark.sql.DataFrame

/**
 * Variants in files of Spark's Parquet source, shredded by Spark and unshredded: read by Spark, by
 * Spark with the extension, and with `format("variant-shredded")`.
 *
 * Arguments: see [[BenchmarkRun]].
 */
object ExistingTables {
  import BenchmarkRun.noop

  private val TakeOver = "spark.sql.variantShredded.takeOver"

  def main(args: Array[String]): Unit = BenchmarkRun(
    "existing tables",
    args,
    Map(
      "spark.sql.shuffle.partitions" -> "2",
      "spark.sql.extensions" -> "io.github.variantshredded.VariantShreddedExtensions"
    )
  ) { run =>
    if (!Files.exists(run.folder.resolve("unshredded"))) write(run)
    for (files <- Seq("shredded", "unshredded"); (title, query) <- Queries) {
      val name = s"$title, $files"
      if (run.wants(name)) compare(run, name, files, query)
    }
  }

  private def write(run: BenchmarkRun): Unit = {
    import run.{events, folder, json, spark}
    val texts = json
      .fold(Events.posts(spark, events, 4))(path => spark.read.text(path).toDF("json"))
      .repartition(4)
    val variants = texts.selectExpr("parse_json(json) AS v")
    Seq("shredded" -> "true", "unshredded" -> "false").foreach { case (name, isShredded) =>
      spark.conf.set("spark.sql.variant.writeShredding.enabled", isShredded)
      spark.conf.set("spark.sql.variant.inferShreddingSchema", isShredded)
      variants.write
        .option("parquet.block.size", 16L * 1024 * 1024)
        .parquet(folder.resolve(name).toString)
    }
  }

  private def compare(run: BenchmarkRun, title: String, files: String, query: String): Unit = {
    import run.{folder, spark}
    val path = folder.resolve(files).toString
    def planned(format: String, takeOver: String): DataFrame = {
      spark.conf.set(TakeOver, takeOver)
      val table = s"existing_${format.replace('-', '_')}"
      spark.read.format(format).load(path).createOrReplaceTempView(table)
      val df = spark.sql(query.replace("{t}", table))
      val _ = df.queryExecution.executedPlan
      df
    }
    val spark_ = planned("parquet", "none")
    val extended = planned("parquet", "parquet")
    val ours = planned("variant-shredded", "none")
    if (title.startsWith("whole")) ()
    else if (Seq(extended, ours).exists(_.collect().toSet != spark_.collect().toSet)) {
      throw new IllegalStateException(s"the answers to '$title' differ")
    }
    // The plans above are made anew by each run, under the setting that they need.
    def timed(format: String, takeOver: String): () => Unit = () => noop(planned(format, takeOver))
    run.interleaved.compare(
      title,
      "variant-shredded" -> timed("variant-shredded", "none"),
      "parquet, with the extension" -> timed("parquet", "parquet"),
      "parquet, Spark" -> timed("parquet", "none")
    )
  }

  private val Created = "v:kind::string = 'commit' AND v:commit.operation::string = 'create'"

  private val Posts = s"$Created AND v:commit.collection::string = 'app.bsky.feed.post'"

  private val Queries = Seq(
    "sum" -> "SELECT sum(v:time_us::bigint - 1732206349000000) FROM {t}",
    "Q1" ->
      "SELECT v:commit.collection::string AS event, count(*) AS n FROM {t} GROUP BY event",
    "Q2" ->
      s"""SELECT v:commit.collection::string AS event, count(*), count(DISTINCT v:did::string)
         |FROM {t} WHERE $Created GROUP BY event""".stripMargin,
    "Q3" ->
      s"""SELECT v:commit.collection::string AS event,
         |hour(timestamp_micros(v:time_us::bigint)) AS hour, count(*) FROM {t} WHERE $Created
         |GROUP BY event, hour""".stripMargin,
    "Q4" ->
      s"""SELECT v:did::string AS who, min(v:time_us::bigint) AS first FROM {t} WHERE $Posts
         |GROUP BY who ORDER BY first, who LIMIT 3""".stripMargin,
    "Q5" ->
      s"""SELECT v:did::string AS who, max(v:time_us::bigint) - min(v:time_us::bigint) AS span
         |FROM {t} WHERE $Posts GROUP BY who ORDER BY span DESC, who LIMIT 3""".stripMargin,
    "exists" -> "SELECT count(*) FROM {t} WHERE v:commit.record.reply IS NOT NULL",
    "needle" -> "SELECT count(*) FROM {t} WHERE v:commit.cid::string = 'none'",
    "whole" -> "SELECT v FROM {t}"
  )
}
