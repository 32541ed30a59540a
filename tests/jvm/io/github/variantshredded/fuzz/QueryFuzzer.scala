package io.github.variantshredded.fuzz

import java.io.PrintStream
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}

import scala.collection.mutable

import com.sun.management.OperatingSystemMXBean
import io.github.variantshredded.testing.Settings
import org.apache.commons.io.FileUtils
import org.apache.spark.sql.classic

/**
 * Asks random queries of random files.
 *
 * A run has rounds: each makes its tables once, and asks [[QueryFuzzer.QueriesPerRound]] queries of
 * them. Everything follows from the seed of the run, the number of the round and that of the query.
 */
final class QueryFuzzer(
    spark: classic.SparkSession,
    folder: Path,
    seed: Long,
    out: PrintStream
) {
  import QueryFuzzer._

  private val warnings = new OptimizerWarnings
  private val failures = mutable.LinkedHashMap.empty[String, Vector[String]]
  private var asked = 0L
  private var takenOver = 0L
  private val answers = mutable.Map("rows" -> 0L, "no rows" -> 0L, "errors" -> 0L)
  private val conditions = mutable.Map.empty[String, Long].withDefaultValue(0L)
  private var writing = 0L
  private val started = System.nanoTime
  private val cpu = ManagementFactory.getOperatingSystemMXBean match {
    case system: OperatingSystemMXBean => () => system.getProcessCpuTime / 1e9
    case _                             => () => Double.NaN
  }
  private val cpuBefore = cpu()

  /** Asks at least `queries`, whole rounds. */
  def run(queries: Long): Unit = warnings.during {
    out.println(s"fuzz-queries: seed $seed, $queries queries")
    var round = 0L
    while (asked < queries) {
      this.round(round, allQueries, shrink = false)
      round += 1
    }
  }

  /** Asks the queries of one round, or only some of them, and makes smaller what fails. */
  def only(round: Long, queries: Range = allQueries): Unit =
    warnings.during(this.round(round, queries, shrink = true))

  /** In how many queries this source has read a relation of Spark's Parquet source. */
  def queriesTakenOver: Long = takenOver

  def summary: String = {
    val groups = failures.toVector.sortBy(-_._2.size).map { case (signature, cases) =>
      s"${cases.size} x $signature\n    cases ${cases.take(8).mkString(", ")}"
    }
    s"$progress\n${failures.size} different failures\n${groups.mkString("\n")}"
  }

  def failed: Boolean = failures.nonEmpty

  private def progress: String = {
    val seconds = (System.nanoTime - started) / 1e9
    val counts = answers.toVector.sorted.map { case (what, count) => s"$what $count" }
    val errors = conditions.toVector.sortBy(-_._2).take(6).map { case (c, n) => s"$c $n" }
    f"$asked queries in $seconds%.0f s, ${asked / seconds}%.1f a second (writing ${writing / 1e9}%.0f s); " +
      f"${asked / (cpu() - cpuBefore)}%.1f a second of CPU; " + s"answers: ${counts.mkString(", ")}; ${errors.mkString(", ")}; " +
      s"taken over: $takenOver; failures: ${failures.values.map(_.size).sum}"
  }

  private def round(number: Long, queries: Range, shrink: Boolean): Unit = {
    val here = folder.resolve(s"round$number")
    Files.createDirectories(here)
    try {
      FuzzSession.lighten(spark)
      val dice = Dice.of(seed, number)
      spark.conf.set("spark.sql.caseSensitive", "true")
      spark.conf.set("spark.sql.session.timeZone", "UTC")
      val random = new RandomTable(dice)
      val tables = Vector("t", "u", "o").zipWithIndex.map { case (name, at) =>
        random.table(name, at * 1000L)
      }
      val before = System.nanoTime
      val files = new TableFiles(spark, here)
      val written = tables.map(table => files.write(table, dice))
      val ways = written.map(way(number, _))
      tables.zip(written).zip(ways).foreach { case ((table, w), way) =>
        val explicitSchema = table.rows.isEmpty || dice.oneIn(2)
        def view(prefix: String, format: String, path: Path, takeOver: Boolean): Unit = {
          val reader =
            spark.read.format(format).option("variantShredded.takeOver", takeOver.toString)
          (if (explicitSchema) reader.schema(table.schema) else reader)
            .load(path.toString)
            .createOrReplaceTempView(prefix + table.name)
        }
        def viewByV2(prefix: String, path: Path, takeOver: Boolean): Unit =
          Settings.within(spark, "spark.sql.sources.useV1SourceList" -> "") {
            view(prefix, "parquet", path, takeOver)
          }
        way match {
          case Way.Own           => view("ours_", "variant-shredded", w.shredded, takeOver = false)
          case Way.TakenOver     => view("ours_", "parquet", w.shredded, takeOver = true)
          case Way.TakenOverByV2 => viewByV2("ours_", w.shredded, takeOver = true)
        }
        view("spark_", "parquet", w.plain, takeOver = false)
        viewByV2("v2_", w.plain, takeOver = false)
      }
      writing += System.nanoTime - before
      val about = tables.zip(written).zip(ways).map { case ((table, w), way) =>
        val partitions = table.partition.fold("")(p => s" PARTITIONED BY $p")
        s"  ${table.name}, read by $way: ${table.schema.toDDL}$partitions\n" +
          w.how.map(h => s"    $h").mkString("\n")
      }
      written.flatMap(_.problems).foreach { problem =>
        failure(Difference("writing", "", problem), number, -1, about, Map.empty, "")
      }
      // The table `o` is of another source on both sides.
      val oracle = new QueryOracle(
        spark,
        warnings,
        name => if (name == "o") "spark_o" else s"ours_$name",
        name => s"spark_$name",
        name => s"v2_$name"
      )
      queries.foreach(at => ask(number, at, tables, oracle, about, shrink))
    } finally {
      spark.sharedState.cacheManager.clearCache()
      FileUtils.deleteDirectory(here.toFile)
    }
  }

  /** How this source reads a table: by its own name, or in the place of Spark's Parquet source. */
  private def way(round: Long, table: WrittenTable): Way =
    if (!table.isReadBySpark) Way.Own
    else {
      Dice.of(seed, round, -1L).weighted(4 -> Way.Own, 2 -> Way.TakenOver, 1 -> Way.TakenOverByV2)
    }

  private def ask(
      round: Long,
      at: Int,
      tables: Vector[FuzzTable],
      oracle: QueryOracle,
      about: Vector[String],
      shrink: Boolean
  ): Unit = {
    // Some queries one after the other have the same settings.
    val settings = RandomSettings.of(Dice.of(seed, round, 1000L + at / 8))
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    val anyCase = settings("spark.sql.caseSensitive") == "false"
    val query = new RandomQueries(Dice.of(seed, round, at.toLong), tables, anyCase).query()
    val verdict = oracle.check(query)
    asked += 1
    if (verdict.takenOver) takenOver += 1
    verdict.answer match {
      case Answer.Rows(_, Vector())           => answers("no rows") += 1
      case _: Answer.Rows                     => answers("rows") += 1
      case error @ Answer.Error(condition, _) =>
        answers("errors") += 1
        if (verbose && conditions(condition) == 0) {
          out.println(s"first error ($round.$at): ${query.sql(identity)}\n  $error")
        }
        conditions(condition) += 1
    }
    verdict.difference.foreach { difference =>
      val small = if (shrink) QueryShrinker(query, oracle, difference) else query
      val last =
        if (small eq query) difference else oracle.check(small).difference.getOrElse(difference)
      failure(last, round, at, about, settings, small.sql(identity))
    }
    if (asked % every == 0) out.println(progress)
  }

  private def failure(
      difference: Difference,
      round: Long,
      at: Int,
      about: Vector[String],
      settings: Map[String, String],
      sql: String
  ): Unit = {
    val signature = difference.signature
    val known = failures.getOrElse(signature, Vector())
    failures(signature) = known :+ s"$round.$at"
    if (known.size < 3) {
      out.println(s"""
        |FAILED: ${difference.kind}
        |  again: make fuzz-queries SEED=$seed CASE=$round.$at
        |  query: $sql
        |  wanted: ${difference.wanted.take(3000)}
        |  found: ${difference.found.take(3000)}
        |  settings: ${settings.toVector.sorted.map { case (k, v) => s"$k=$v" }.mkString(" ")}
        |${about.mkString("\n").take(6000)}""".stripMargin)
    }
  }
}

object QueryFuzzer {

  private sealed trait Way
  private object Way {
    case object Own extends Way
    case object TakenOver extends Way
    case object TakenOverByV2 extends Way
  }

  final val QueriesPerRound = 80

  private val allQueries = 0 until QueriesPerRound

  /** Whether to print the first query for each condition of an error. */
  private val verbose = java.lang.Boolean.getBoolean("fuzz.verbose")

  /** After so many queries the progress is printed. */
  private val every = Integer.getInteger("fuzz.progress", 1000).toLong
}
