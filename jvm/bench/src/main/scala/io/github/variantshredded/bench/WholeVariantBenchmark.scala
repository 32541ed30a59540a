package io.github.variantshredded.bench

import java.nio.file.Files

import org.apache.spark.sql.DataFrame

/**
 * Queries that need the whole Variant: `noop` sink, `to_json`, `schema_of_variant_agg`. Compared
 * are Spark's Parquet source on a file that Spark shredded, this source on the same file and on one
 * that it shredded itself, and Spark's Parquet source on the same fields as ordinary typed columns;
 * besides, both sources on an unshredded file.
 *
 * Arguments: see [[BenchmarkRun]].
 */
object WholeVariantBenchmark {

  def main(args: Array[String]): Unit = BenchmarkRun("whole Variant benchmark", args) { run =>
    val files = new WholeVariantFiles(run)
    files.write()
    new WholeVariantQueries(run, files).run()
  }
}

/**
 * The same events four times over, in their order.
 *
 * @param options
 *   for all writers
 */
private[bench] final class WholeVariantFiles(
    run: BenchmarkRun,
    options: Map[String, String] = Map.empty
) {
  import run.{folder, json, spark}

  def at(name: String): String = folder.resolve(name).toString

  def write(): Unit = {
    val texts =
      json.fold(Events.json(spark, run.events, 2))(path => spark.read.text(path).toDF("json"))
    val variants = texts.selectExpr("parse_json(json) AS v")
    once("plain") { path =>
      json match {
        case Some(file) => spark.read.json(file).write.options(options).parquet(path)
        case None       => Events.plain(spark, run.events, 2).write.options(options).parquet(path)
      }
    }
    once("unshredded") { path =>
      variants.write
        .options(options)
        .option("shredding", "none")
        .format("variant-shredded")
        .save(path)
    }
    once("shredded")(variants.write.options(options).format("variant-shredded").save)
    once("spark") { path =>
      val settings =
        Seq("spark.sql.variant.writeShredding.enabled", "spark.sql.variant.inferShreddingSchema")
      settings.foreach(spark.conf.set(_, "true"))
      try variants.write.options(options).parquet(path)
      finally settings.foreach(spark.conf.unset)
    }
  }

  private def once(name: String)(body: String => Unit): Unit =
    if (!Files.exists(folder.resolve(name).resolve("_SUCCESS"))) {
      println(s"writing $name")
      body(at(name))
    }

  def parquet(name: String): DataFrame = spark.read.parquet(at(name))
  def ours(name: String): DataFrame = spark.read.format("variant-shredded").load(at(name))
}

private final class WholeVariantQueries(benchmark: BenchmarkRun, files: WholeVariantFiles) {
  import BenchmarkRun.noop
  import benchmark.interleaved

  def run(): Unit = {
    val events = benchmark.json.getOrElse(s"${benchmark.events} events")
    println(s"\n$events: task CPU seconds, medians of ${benchmark.runs} interleaved runs")
    println(
      line(
        "query",
        Seq("Spark", "ours", "ours, own", "plain", "Spark/ours", "Spark/own", "ours/plain")
      )
    )
    shredded("whole Variant", noop, Some(noop))
    shredded(
      "to_json(v)",
      df => noop(df.selectExpr("to_json(v)")),
      Some(df => noop(df.selectExpr("to_json(struct(*))")))
    )
    shredded("schema_of_variant_agg(v)", collect("schema_of_variant_agg(v)"), None)
    println()
    println(line("query, unshredded", Seq("Spark", "ours", "Spark/ours")))
    unshredded("whole Variant", noop)
    unshredded("to_json(v)", df => noop(df.selectExpr("to_json(v)")))
    unshredded("schema_of_variant_agg(v)", collect("schema_of_variant_agg(v)"))
  }

  private def shredded(
      query: String,
      action: DataFrame => Unit,
      onPlain: Option[DataFrame => Unit]
  ): Unit = if (benchmark.wants(query)) {
    val ways = Seq(
      () => action(files.parquet("spark")),
      () => action(files.ours("spark")),
      () => action(files.ours("shredded"))
    ) ++ onPlain.map(run => () => run(files.parquet("plain")))
    val times = interleaved.measure(ways: _*).map(_.cpu)
    val ratios = Seq(times(0) / times(1), times(0) / times(2)) ++ times.lift(3).map(times(1) / _)
    println(
      line(
        query,
        times.map(seconds) ++ Option.when(onPlain.isEmpty)("") ++ ratios.map(ratio)
      )
    )
  }

  private def unshredded(query: String, action: DataFrame => Unit): Unit = if (
    benchmark.wants(query)
  ) {
    val times = interleaved
      .measure(
        () => action(files.parquet("unshredded")),
        () => action(files.ours("unshredded"))
      )
      .map(_.cpu)
    println(line(query, times.map(seconds) :+ ratio(times(0) / times(1))))
  }

  private def collect(aggregate: String)(df: DataFrame): Unit = {
    df.selectExpr(aggregate).collect()
    ()
  }

  private def seconds(time: Double) = f"$time%.3f"
  private def ratio(value: Double) = f"$value%.2f x"

  private def line(name: String, cells: Seq[String]) =
    f"$name%-26s" + cells.map(cell => f"$cell%12s").mkString
}
