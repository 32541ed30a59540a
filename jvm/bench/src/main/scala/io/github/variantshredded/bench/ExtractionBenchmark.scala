package io.github.variantshredded.bench

import java.nio.file.Files

/**
 * Times the queries of JSONBench and a few more on the fields of a Variant and on the same fields as
 * plain typed columns. Both are in Parquet with row groups of 16 MiB.
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
    val rows = new Comparisons(run.interleaved, "query", "plain", "field of a Variant")
    BlueskyQueries.All.filter(query => run.wants(query._1)).foreach { case (title, query) =>
      val plain = spark.sql(BlueskyQueries.onColumns(query, "plain"))
      val shredded = spark.sql(BlueskyQueries.onVariant(query, "shredded"))
      val same = plain.collect().toSeq == shredded.collect().toSeq
      if (!same) throw new IllegalStateException(s"the answers to '$title' differ")
      rows.compare(title, () => noop(plain), () => noop(shredded))
    }
  }
}
