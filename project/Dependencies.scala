import sbt._

/** Every version the build names. */
object Dependencies {
  val scala = "2.13.18"

  private val spark = "4.2.0"
  private val parquet = "1.17.0" // what that Spark brings along
  private val delta = "4.4.0"
  private val icebergVersion = "1.12.0"

  val sparkSql = "org.apache.spark" %% "spark-sql" % spark

  /** Iceberg, whose tables are read through this source if a session has them. */
  val iceberg = Seq("api", "core", "data").map { module =>
    "org.apache.iceberg" % s"iceberg-$module" % icebergVersion % Provided intransitive ()
  }

  val test = Seq(
    "org.scalatest" %% "scalatest" % "3.2.20",
    "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
    // Tables in Hive's metastore, with Derby.
    "org.apache.spark" %% "spark-hive" % spark,
    // Independent readers and writers of shredded Variants, to check ours against. What else they
    // need comes with Spark.
    "org.apache.parquet" % "parquet-variant" % parquet,
    "org.apache.parquet" % "parquet-avro" % parquet intransitive (),
    "io.delta" %% s"delta-spark_${spark.take(3)}" % delta intransitive (),
    "io.delta" % "delta-storage" % delta intransitive (),
    "io.delta" % "delta-kernel-api" % delta intransitive (),
    "org.apache.iceberg" % "iceberg-parquet" % icebergVersion intransitive (),
    "org.apache.iceberg" % "iceberg-common" % icebergVersion intransitive (),
    "org.apache.iceberg" % "iceberg-bundled-guava" % icebergVersion intransitive (),
    "com.github.ben-manes.caffeine" % "caffeine" % "3.2.4" intransitive (),
    // Holds the order of packages.
    "com.tngtech.archunit" % "archunit" % "1.5.0",
    // Writes some of the files of `make fuzz-queries`.
    "org.duckdb" % "duckdb_jdbc" % "2.0.0.0",
    // The fuzzer of `make fuzz-bytes`.
    "com.code-intelligence" % "jazzer" % "0.30.0",
    "com.code-intelligence" % "jazzer-api" % "0.30.0"
  ).map(_ % Test)

  /** The JARs with Spark's own tests. */
  val sparkTests = Seq("common-utils", "tags", "sql-api", "core", "catalyst", "sql", "hive").map {
    module => "org.apache.spark" %% s"spark-$module" % spark % Test classifier "tests"
  }

  /** What they need: Hive's metastore, and the libraries that Spark's tests are written with. */
  val sparkTestLibraries = Seq(
    "org.apache.spark" %% "spark-hive" % spark,
    "org.scalatest" %% "scalatest" % "3.2.20",
    "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
    "org.scalatestplus" %% "mockito-5-18" % "3.2.19.0",
    "org.apache.parquet" % "parquet-avro" % parquet
  ).map(_ % Test)
}
