package io.github.variantshredded.bench

import io.github.variantshredded.bench.MarkdownTable.{megabytes, ratio, seconds}
import org.apache.spark.sql.DataFrame

/**
 * Compares queries that leave out most of the data, in files with row groups of 16 MiB: Spark's
 * Parquet source on plain typed columns and on Variants that Spark shredded, and this source on the
 * same Variants and on those that it shredded itself.
 *
 * Arguments: see [[BenchmarkRun]].
 */
object SkippingBenchmark {

  def main(args: Array[String]): Unit = BenchmarkRun("skipping benchmark", args) { run =>
    val files = new WholeVariantFiles(run, Map("parquet.block.size" -> s"${16 << 20}"))
    files.write()
    new SkippingQueries(run, files).run()
  }
}

private final class SkippingQueries(benchmark: BenchmarkRun, files: WholeVariantFiles) {
  import BenchmarkRun.noop
  import benchmark.{interleaved, spark}

  private val plain = files.parquet("plain")
  private val sparks = files.parquet("spark")
  private val theirs = files.ours("spark")
  private val own = files.ours("shredded")

  private val all = plain.count()

  private val (least, greatest) = {
    val row = plain.selectExpr("min(time_us)", "max(time_us)").head()
    (row.getLong(0), row.getLong(1))
  }

  /** One that about every ten thousandth event is of. */
  private val did: String = plain
    .groupBy("did")
    .count()
    .orderBy(org.apache.spark.sql.functions.expr(s"abs(count - ${all / 10000})"))
    .head()
    .getString(0)

  private val table = new MarkdownTable(
    "query",
    "CPU: plain, s",
    "Spark, s",
    "ours, s",
    "own, s",
    "own / plain",
    "Spark / own",
    "wall: own / plain",
    "Spark / own",
    "MB read: plain / own"
  )

  private val Time = "v:time_us::bigint"
  private val Did = "v:did::string"
  private val Langs = "v:commit.record.langs::array<string>"

  def run(): Unit = {
    val from = least + (greatest - least) / 2
    val until = from + (greatest - least) / 100
    counts("1 % range", s"{time} BETWEEN $from AND $until")
    whole("one did", s"{did} = '$did'")
    val middle = plain.where(s"time_us >= $from").selectExpr("min(time_us)").head().getLong(0)
    whole("one time", s"{time} = $middle")
    counts("exists, frequent", "exists({langs}, x -> x = 'tr')")
    counts("exists, nowhere", "exists({langs}, x -> x = 'tlh')")
    if (benchmark.wants("keeps everything")) {
      interleaved.compare(
        "SELECT v WHERE time > 0, which keeps everything",
        "without a condition" -> (() => noop(own.select("v"))),
        "with the condition, not pushed" -> (() => pushing(false)(noop(positive))),
        "with the condition, pushed" -> (() => pushing(true)(noop(positive)))
      )
    }
  }

  private def positive: DataFrame =
    spark.read.format("variant-shredded").load(files.at("shredded")).where(s"$Time > 0").select("v")

  private def pushing(on: Boolean)(body: => Unit): Unit = {
    val setting = "spark.sql.variantShredded.pushDownPredicates"
    spark.conf.set(setting, on.toString)
    try body
    finally spark.conf.unset(setting)
  }

  private def counts(title: String, condition: String): Unit =
    compare(title, s"count where $condition", condition, count)

  private def whole(title: String, condition: String): Unit =
    compare(title, s"SELECT v where $condition", condition, noop)

  /** Times the four ways of a query, and prints their row. */
  private def compare(
      title: String,
      query: String,
      condition: String,
      action: DataFrame => Unit
  ): Unit = if (benchmark.wants(title)) {
    same(title, plain.where(onPlain(condition)), own.where(onVariant(condition)))
    val times = interleaved.measure(
      () => action(plain.where(onPlain(condition))),
      () => action(sparks.where(onVariant(condition))),
      () => action(theirs.where(onVariant(condition))),
      () => action(own.where(onVariant(condition)))
    )
    val (columns, bySpark, ofOwn) = (times(0), times(1), times(3))
    val ratios = Seq(
      ofOwn.cpu / columns.cpu,
      bySpark.cpu / ofOwn.cpu,
      ofOwn.wall / columns.wall,
      bySpark.wall / ofOwn.wall
    )
    val cells = times.map(time => seconds(time.cpu)) ++ ratios.map(ratio)
    table.row((query +: cells) :+ megabytes(columns, ofOwn): _*)
  }

  private def same(title: String, wanted: DataFrame, found: DataFrame): Unit =
    if (wanted.count() != found.count()) {
      throw new IllegalStateException(s"the answers to '$title' differ")
    }

  private def onPlain(condition: String): String = condition
    .replace("{time}", "time_us")
    .replace("{did}", "did")
    .replace("{langs}", "commit.record.langs")

  private def onVariant(condition: String): String =
    condition.replace("{time}", Time).replace("{did}", Did).replace("{langs}", Langs)

  private def count(df: DataFrame): Unit = {
    df.groupBy().count().collect()
    ()
  }
}
