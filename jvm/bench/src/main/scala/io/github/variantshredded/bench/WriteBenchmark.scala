package io.github.variantshredded.bench

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import io.github.variantshredded.bench.MarkdownTable.{ratio, seconds}
import org.apache.spark.sql.DataFrame

/**
 * Compares writing Variants with Spark's own Parquet writer: unshredded, shredded by a given schema
 * of six leaves, and shredded by what each of the two infers.
 *
 * The rows come from Variants in a Parquet file or, under the second title, from JSON that is parsed.
 * What that costs is timed in the same interleaved way by the `noop` sink, and subtracted: the net
 * times are those of writing alone.
 *
 * Under the third title, what the order of rows costs: the original one, by shape, by the values at a
 * path, and both.
 *
 * Arguments: see [[BenchmarkRun]]; the sixth is the given schema, the seventh the path to sort by.
 */
object WriteBenchmark {

  def main(args: Array[String]): Unit = BenchmarkRun("write benchmark", args) { run =>
    new Writes(run, args.lift(5).getOrElse(Given), args.lift(6).getOrElse("$.commit.collection"))
      .run()
  }

  private final val Given = "did string, time_us bigint, kind string, " +
    "commit struct<operation string, collection string, rkey string>"
}

private final class Writes(benchmark: BenchmarkRun, given_ : String, sortedBy: String) {
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
    val variants = spark.read.parquet(at("variants"))
    compare("from Variants", variants)(all)
    compare("from JSON", parsed)(all)
    compare("order of Variants", variants)(orders)
  }

  private def parsed: DataFrame = texts.selectExpr("parse_json(json) AS v")

  /** Pairs a name with the function that writes rows to a path. */
  private type Way = (String, (DataFrame, String) => Unit)

  private val all = Seq[Way](
    "Spark, unshredded" -> ((rows, path) => withConf(Shredding -> "false")(sparks(rows, path))),
    "Spark, given" -> ((rows, path) =>
      withConf(Shredding -> "true", Infer -> "false", Force -> given_)(sparks(rows, path))
    ),
    "Spark, inferred" -> ((rows, path) =>
      withConf(Shredding -> "true", Infer -> "true")(sparks(rows, path))
    ),
    "ours, unshredded" -> (ours(_, _, "shredding" -> "none")),
    "ours, given" -> (ours(_, _, "shredding" -> s"""{"v": "$given_"}""")),
    "ours, inferred" -> (ours(_, _))
  )

  private val orders = {
    val byShape = "clustering" -> "shape"
    val byValues = "clusterBy" -> sortedBy
    Seq[Way](
      "original order" -> (ours(_, _)),
      "clustering=shape" -> (ours(_, _, byShape)),
      s"clusterBy=$sortedBy" -> (ours(_, _, byValues)),
      "both" -> (ours(_, _, byShape, byValues))
    )
  }

  private def compare(title: String, rows: DataFrame)(ways: Seq[Way]): Unit =
    if (benchmark.wants(title)) {
      def folderOf(way: Int) = s"written-$way"
      val times = interleaved.measure(
        (() => noop(rows)) +: ways.zipWithIndex.map { case ((_, write), i) =>
          () => write(rows, at(folderOf(i)))
        }: _*
      )
      val input = times.head
      println(
        f"\n$title: input alone ${input.cpu}%.3f s of task CPU, ${input.wall}%.3f s by the clock " +
          s"(medians of ${benchmark.runs} interleaved runs)"
      )
      val table = new MarkdownTable(
        title,
        "CPU, net, s",
        "/ the first",
        "wall, net, s",
        "/ the first",
        "CPU, s",
        "wall, s",
        "MB"
      )
      val base = times(1)
      ways.zip(times.tail).zipWithIndex.foreach { case (((name, _), time), i) =>
        table.row(
          name,
          seconds(time.cpu - input.cpu),
          ratio((time.cpu - input.cpu) / (base.cpu - input.cpu)),
          seconds(time.wall - input.wall),
          ratio((time.wall - input.wall) / (base.wall - input.wall)),
          seconds(time.cpu),
          seconds(time.wall),
          f"${size(folderOf(i)) / 1e6}%.2f"
        )
      }
    }

  private def sparks(rows: DataFrame, path: String): Unit =
    rows.write.mode("overwrite").parquet(path)

  private def ours(rows: DataFrame, path: String, options: (String, String)*): Unit =
    rows.write
      .mode("overwrite")
      .format("variant-shredded")
      .options(options.toMap)
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
