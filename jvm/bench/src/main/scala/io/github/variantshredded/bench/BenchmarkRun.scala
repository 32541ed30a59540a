package io.github.variantshredded.bench

import java.nio.file.{Files, Path, Paths}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Holds what a benchmark was asked to do, and a session with one core to do it in.
 *
 * @param folder
 *   for its Parquet files
 * @param events
 *   how many to make up
 * @param runs
 *   how often each way is timed
 * @param json
 *   a file of JSON lines in place of made-up events
 * @param only
 *   part of the titles to run
 */
final class BenchmarkRun private (
    val spark: SparkSession,
    val folder: Path,
    val events: Long,
    val runs: Int,
    val json: Option[String],
    val only: String
) {
  lazy val interleaved: Interleaved = new Interleaved(spark, runs)

  /** Returns whether a title is to be run. */
  def wants(title: String): Boolean = title.contains(only)
}

object BenchmarkRun {

  /**
   * Runs a benchmark.
   *
   * @param args
   *   number of events, runs, a file of JSON lines or `-` for made-up events, and optionally a
   *   folder where the Parquet files are kept for the next time (or `-`) and a part of the titles
   */
  def apply(name: String, args: Array[String], settings: Map[String, String] = Map.empty)(
      body: BenchmarkRun => Unit
  ): Unit = {
    val kept = args.lift(3).filter(_ != "-").map(Paths.get(_))
    val folder = kept.getOrElse(Files.createTempDirectory("variant-shredded-bench"))
    val builder = SparkSession
      .builder()
      .master("local[1]")
      .appName(name)
      .config("spark.ui.enabled", "false")
    val spark = (CountedFileSystem.settings ++ settings)
      .foldLeft(builder) { case (b, (key, value)) => b.config(key, value) }
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try {
      body(
        new BenchmarkRun(
          spark,
          folder,
          events = args.lift(0).fold(500000L)(_.toLong),
          runs = args.lift(1).fold(7)(_.toInt),
          json = args.lift(2).filter(_ != "-"),
          only = args.lift(4).getOrElse("")
        )
      )
    } finally {
      spark.stop()
      if (kept.isEmpty) FileUtils.deleteDirectory(folder.toFile)
    }
  }

  /** Computes every row and keeps none. */
  def noop(df: DataFrame): Unit = df.write.format("noop").mode("overwrite").save()
}
