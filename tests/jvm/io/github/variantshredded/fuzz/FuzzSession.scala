package io.github.variantshredded.fuzz

import io.github.variantshredded.VariantShreddedExtensions
import org.apache.spark.sql.{classic, SparkSession}

/** A session for many small queries one after the other. */
object FuzzSession {

  def start(warehouse: String): classic.SparkSession =
    SparkSession
      .builder()
      .master("local[1]")
      .appName("fuzz-queries")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.warehouse.dir", warehouse)
      .config("spark.sql.shuffle.partitions", "1")
      .config("spark.sql.variant.pushVariantIntoScan", "false")
      .config("spark.sql.extensions", classOf[VariantShreddedExtensions].getName)
      // Few tasks: a small file costs nothing but its bytes.
      .config("spark.sql.files.openCostInBytes", "0")
      .config("spark.sql.ui.retainedExecutions", "1")
      // A rule that does not come to an end is seen sooner than after 100 rounds.
      .config("spark.sql.optimizer.maxIterations", "20")
      .config("spark.ui.retainedJobs", "1")
      .config("spark.ui.retainedStages", "1")
      .config("spark.ui.retainedTasks", "1")
      .getOrCreate() match {
      case session: classic.SparkSession => session
      case other                         => throw new IllegalStateException(s"not classic: $other")
    }

  /**
   * Each scan sends Hadoop's configuration to its tasks. That is quick without its defaults, which
   * come back when a class with further ones is loaded.
   */
  def lighten(session: classic.SparkSession): Unit =
    session.sparkContext.hadoopConfiguration.clear()
}
