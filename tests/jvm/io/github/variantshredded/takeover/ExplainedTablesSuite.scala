package io.github.variantshredded.takeover

import io.github.variantshredded.testing.{ExplainedScan, Golden}

/**
 * What EXPLAIN FORMATTED says of a Parquet path that is taken over, and of one that is not; kept in
 * `tests/golden/explain_existing_tables.txt`.
 */
class ExplainedTablesSuite extends ExistingTablesSuite("parquet") {

  private lazy val path: String = {
    val path = newPath()
    withConf(
      "spark.sql.variant.writeShredding.enabled" -> "true",
      "spark.sql.variant.inferShreddingSchema" -> "true"
    )(rows(0, 30).repartition(1).write.parquet(path))
    path
  }

  private val cases: Seq[(String, Seq[(String, String)], Map[String, String])] = Seq(
    ("taken over", Nil, Map.empty),
    ("left to Spark, because of a setting", Seq(PushDown -> "false"), Map.empty),
    ("left to Spark, because of an option", Nil, Map("variantShredded.takeOver" -> "false")),
    (
      "left to Spark, second interface",
      Seq("spark.sql.sources.useV1SourceList" -> "", PushDown -> "false"),
      Map.empty
    )
  )

  test("EXPLAIN FORMATTED shows who reads the files, and why") {
    val sections = cases.map { case (name, settings, options) =>
      withConf(ExplainedScan.settings ++ settings: _*) {
        spark.read.options(options).parquet(path).createOrReplaceTempView("files")
        val sql = "SELECT n, v:n::int FROM files WHERE v:n::int > 3"
        val text = spark.sql(s"EXPLAIN FORMATTED $sql").head().getString(0)
        s"== $name ==\n$sql\n\n${ExplainedScan.of(text, path)}\n"
      }
    }
    Golden.check("explain_existing_tables.txt", sections.mkString("\n"))
  }
}
