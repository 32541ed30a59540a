package io.github.variantshredded.bench

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame

/**
 * Writing Variants, against Spark's own Parquet writer: unshredded, shredded by a given schema of six
 * leaves, and shredded by what each of the two infers.
 *
 * The rows come from Variants in a Parquet file or, under the second title, from JSON that is parsed.
 * What that costs is timed in the same interleaved way by the `noop` sink, and subtracted: the net
 * times are those of writing alone.
 *
 * Arguments: see [[BenchmarkRun]]; the sixth is the given schema.
 */
object WriteBenchmark {

  def main(args: Array[String]): Unit = BenchmarkRun("write benchmark", args) { run =>
    new Writes(run, args.lift(5).getOrElse(Given)).run()
  }

  private final val Given = "did string, time_us bigint, kind string, " +
    "commit struct<operation string, collection string, rkey string>"
}

private final class Writes(benchmark: BenchmarkRun, given_ : String) {
  import BenchmarkRun.noop
  import benchmark.{events, folder, interleaved, json, spark}

  private val texts = json.fold(Events.posts(spark, events, 1)) { path =>
    spark.read.text(path).toDF("json").limit(events.toInt)
  }

  private def at(name: String): String = folder.resolve(name).toString

  def run(): Unit = {
    if (!Files.exists(folder.resolve("variants").resolve("_SUCCESS"))) {
      withConf(Shredding -> "false")(parsed.write.parquet(at("variants")))
    }
    compare("from Variants", spark.read.parquet(at("variants")))
    compare("from JSON", parsed)
  }

  private def parsed: DataFrame = texts.selectExpr("parse_json(json) AS v")

  private def compare(title: String, rows: DataFrame): Unit = if (benchmark.wants(title)) {
    val ways = Seq[(String, String => Unit)](
      "Spark, unshredded" -> (path => withConf(Shredding -> "false")(sparks(rows, path))),
      "Spark, given" -> (path =>
        withConf(Shredding -> "true", Infer -> "false", Force -> given_)(sparks(rows, path))
      ),
      "Spark, inferred" -> (path =>
        withConf(Shredding -> "true", Infer -> "true")(sparks(rows, path))
      ),
      "ours, unshredded" -> (ours(rows, _, "none")),
      "ours, given" -> (ours(rows, _, s"""{"v": "$given_"}""")),
      "ours, inferred" -> (ours(rows, _, "infer"))
    )
    val times = interleaved.measure(
      (() => noop(rows)) +: ways.map { case (name, write) => () => write(at(name)) }: _*
    )
    val input = times.head.cpu
    println(
      f"\n$title: input alone $input%.3f s (task CPU, medians of ${benchmark.runs} interleaved runs)"
    )
    println(f"  ${""}%-20s${"net, s"}%10s${"/ unshredded"}%14s${"gross, s"}%10s${"MB"}%10s")
    val base = times(1).cpu - input
    ways.zip(times.tail).foreach { case ((name, _), time) =>
      val net = time.cpu - input
      println(
        f"  $name%-20s$net%10.3f${net / base}%12.2f x${time.cpu}%10.3f${size(name) / 1e6}%10.2f"
      )
    }
  }

  private def sparks(rows: DataFrame, path: String): Unit =
    rows.write.mode("overwrite").parquet(path)

  private def ours(rows: DataFrame, path: String, shredding: String): Unit =
    rows.write
      .mode("overwrite")
      .format("variant-shredded")
      .option("shredding", shredding)
      .save(path)

  private def size(name: String): Long = {
    val files = Files.walk(folder.resolve(name))
    try files.iterator.asScala.filter(_.toString.endsWith(".parquet")).map(Files.size(_)).sum
    finally files.close()
  }

  private def withConf(settings: (String, String)*)(body: => Unit): Unit = {
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }

  private val Shredding = "spark.sql.variant.writeShredding.enabled"
  private val Infer = "spark.sql.variant.inferShreddingSchema"
  private val Force = "spark.sql.variant.forceShreddingSchemaForTest"
}
