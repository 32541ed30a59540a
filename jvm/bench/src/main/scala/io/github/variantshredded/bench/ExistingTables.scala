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
    def read(format: String, takeOver: String): DataFrame = {
      spark.conf.set(TakeOver, takeOver)
      spark.read.format(format).load(path).createOrReplaceTempView("existing")
      val rows = spark.sql(BlueskyQueries.onVariant(query, "existing"))
      // The query must be planned under this setting.
      val _ = rows.queryExecution.executedPlan
      rows
    }
    val ways = Seq(
      "variant-shredded" -> (() => read("variant-shredded", "none")),
      "parquet, with the extension" -> (() => read("parquet", "parquet")),
      "parquet, Spark" -> (() => read("parquet", "none"))
    )
    if (query != Whole) {
      val answers = ways.map { case (_, rows) => rows().collect().toSeq }
      if (answers.distinct.size > 1)
        throw new IllegalStateException(s"the answers to '$title' differ")
    }
    run.interleaved
      .compare(title, ways.map { case (name, rows) => name -> (() => noop(rows())) }: _*)
  }

  // Two Variants of the same value may have other bytes, so the answers are not compared.
  private final val Whole = "SELECT v FROM {t}"

  private val Queries = BlueskyQueries.All ++ Seq(
    "exists" -> "SELECT count(*) FROM {t} WHERE v:commit.record.reply IS NOT NULL",
    "needle" -> "SELECT count(*) FROM {t} WHERE v:commit.cid::string = 'none'",
    "whole" -> Whole
  )
}
