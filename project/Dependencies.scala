import sbt._

/** Every version the build names. */
object Dependencies {
  val scala = "2.13.18"

  private val spark = "4.2.0"
  private val parquet = "1.17.0" // what that Spark brings along

  val sparkSql = "org.apache.spark" %% "spark-sql" % spark

  val test = Seq(
    "org.scalatest" %% "scalatest" % "3.2.20",
    "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
    // An independent reader and writer of shredded Variants, to check ours against.
    "org.apache.parquet" % "parquet-variant" % parquet
  ).map(_ % Test)
}
