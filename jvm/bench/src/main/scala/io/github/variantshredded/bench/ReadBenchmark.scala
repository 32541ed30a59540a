package io.github.variantshredded.bench

import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Compares this source with Spark's own Parquet source on the same files: reads of ordinary
 * columns, of the column `_metadata` and of whole Variants.
 *
 * Arguments: see [[BenchmarkRun]].
 */
object ReadBenchmark {
  import BenchmarkRun.noop

  def main(args: Array[String]): Unit = BenchmarkRun("read benchmark", args)(run)

  private def run(benchmark: BenchmarkRun): Unit = {
    import benchmark.{events, folder, json, spark}
    def at(name: String) = folder.resolve(name).toString
    val texts = json.fold(Events.json(spark, events, 2))(path => spark.read.text(path).toDF("json"))
    val variants = texts.selectExpr("parse_json(json) AS v")

    println(s"writing ${json.getOrElse(s"$events events")}")
    Events.plain(spark, events, 2).write.parquet(at("plain"))
    variants.write.option("shredding", "none").format("variant-shredded").save(at("unshredded"))
    variants.write.format("variant-shredded").save(at("shredded"))
    withConf(
      spark,
      "spark.sql.variant.writeShredding.enabled" -> "true",
      "spark.sql.variant.inferShreddingSchema" -> "true"
    )(variants.write.parquet(at("spark")))

    def parquet(name: String): DataFrame = spark.read.parquet(at(name))
    def ours(name: String): DataFrame = spark.read.format("variant-shredded").load(at(name))

    val rows = new Comparisons(benchmark.interleaved, "columns", "Spark", "ours")

    def compare(title: String, sparks: () => DataFrame, own: () => DataFrame): Unit =
      if (benchmark.wants(title)) rows.compare(title, () => noop(sparks()), () => noop(own()))

    val numbers = Seq("id", "at", "score")
    val fileAndIndex = Seq("_metadata.file_name", "_metadata.row_index")
    Seq(
      "ordinary columns: numbers" -> numbers,
      "ordinary columns: strings" -> Seq("kind", "session"),
      "ordinary columns: structs" -> Seq("user", "page"),
      "ordinary columns: arrays" -> Seq("items", "tags"),
      "ordinary columns: numbers and _metadata" -> (numbers ++ fileAndIndex)
    ).foreach { case (title, columns) =>
      compare(
        title,
        () => parquet("plain").select(columns.head, columns.tail: _*),
        () => ours("plain").select(columns.head, columns.tail: _*)
      )
    }
    compare(
      "whole Variant, shredded by Spark (inferred)",
      () => parquet("spark"),
      () => ours("spark")
    )
    compare(
      "whole Variant, shredded by variant-shredded (inferred)",
      () => parquet("shredded"),
      () => ours("shredded")
    )
    compare("whole Variant, unshredded", () => parquet("unshredded"), () => ours("unshredded"))
    if (benchmark.wants("with and without _metadata")) {
      benchmark.interleaved.compare(
        "numbers, with and without _metadata",
        "ours, without" -> (() => noop(ours("plain").selectExpr(numbers: _*))),
        "ours, with" -> (() => noop(ours("plain").selectExpr(numbers ++ fileAndIndex: _*)))
      )
    }
  }

  private def withConf(spark: SparkSession, settings: (String, String)*)(body: => Unit): Unit = {
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }
}
