package io.github.variantshredded.testing

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** A suite with a local Spark session, started when first used and stopped at the end. */
abstract class SparkSuite extends AnyFunSuite with BeforeAndAfterAll {

  private lazy val warehouse: Path = Files.createTempDirectory("warehouse")

  /** Settings of the session beside those of all suites. */
  protected def sessionSettings: Map[String, String] = Map.empty

  protected lazy val spark: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .appName(getClass.getSimpleName)
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "4")
    .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
    .config("spark.sql.warehouse.dir", warehouse.toUri.toString)
    .config(sessionSettings)
    .getOrCreate()

  protected def withConf[T](settings: (String, String)*)(body: => T): T =
    Settings.within(spark, settings: _*)(body)

  override protected def afterAll(): Unit =
    try SparkSession.getDefaultSession.foreach(_.stop())
    finally super.afterAll()
}
