package io.github.variantshredded.bench

import java.nio.file.Files

import io.github.variantshredded.bench.MarkdownTable.{ratio, seconds}
import org.apache.spark.sql.DataFrame

/**
 * Times queries that need the whole Variant: `noop` sink, `to_json`, `schema_of_variant_agg`.
 * Compared are Spark's Parquet source on a file that Spark shredded, this source on the same file
 * and on one that it shredded itself, and Spark's Parquet source on the same fields as ordinary
 * typed columns; besides, both sources on an unshredded file.
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
 * Writes the same events four times over, in the same order.
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
    println(s"\n$events: medians of ${benchmark.runs} interleaved runs")
    val ofShredded = new MarkdownTable(
      "query",
      "CPU: Spark, s",
      "ours, s",
      "own, s",
      "plain, s",
      "Spark / ours",
      "Spark / own",
      "ours / plain",
      "wall: Spark / ours",
      "Spark / own",
      "ours / plain"
    )
    def shredded(query: String, action: Action, onPlain: Option[Action]): Unit =
      if (benchmark.wants(query)) ofShredded.row(query +: timesOfShredded(action, onPlain): _*)

    shredded("whole Variant", noop, Some(noop))
    shredded(
      "to_json(v)",
      df => noop(df.selectExpr("to_json(v)")),
      Some(df => noop(df.selectExpr("to_json(struct(*))")))
    )
    shredded("schema_of_variant_agg(v)", collect("schema_of_variant_agg(v)"), None)

    val ofUnshredded = new Comparisons(interleaved, "query, unshredded", "Spark", "ours")
    def unshredded(query: String, action: Action): Unit =
      if (benchmark.wants(query)) {
        ofUnshredded.compare(
          query,
          () => action(files.parquet("unshredded")),
          () => action(files.ours("unshredded"))
        )
      }

    unshredded("whole Variant", noop)
    unshredded("to_json(v)", df => noop(df.selectExpr("to_json(v)")))
    unshredded("schema_of_variant_agg(v)", collect("schema_of_variant_agg(v)"))
  }

  private type Action = DataFrame => Unit

  private def timesOfShredded(action: Action, onPlain: Option[Action]): Seq[String] = {
    val ways = Seq(
      () => action(files.parquet("spark")),
      () => action(files.ours("spark")),
      () => action(files.ours("shredded"))
    ) ++ onPlain.map(run => () => run(files.parquet("plain")))
    val times = interleaved.measure(ways: _*)
    val cpu = times.map(_.cpu)
    cpu.map(seconds).padTo(4, "") ++ ratios(cpu) ++ ratios(times.map(_.wall))
  }

  private def ratios(times: Seq[Double]): Seq[String] =
    (Seq(times(0) / times(1), times(0) / times(2)) ++ times.lift(3).map(times(1) / _))
      .map(ratio)
      .padTo(3, "")

  private def collect(aggregate: String)(df: DataFrame): Unit = {
    df.selectExpr(aggregate).collect()
    ()
  }
}
