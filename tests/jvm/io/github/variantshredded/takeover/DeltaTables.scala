package io.github.variantshredded.takeover

import io.github.variantshredded.VariantShreddedExtensions
import io.github.variantshredded.read.scan.VariantScan
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/**
 * Gives suites tables of Delta Lake, in a session with its extension and that of this source.
 * Expressions are interpreted: each statement of Delta Lake runs many small queries, for which
 * generating code takes most of the time. Spark's reader of shredded files can extract fields with
 * generated code only, so it is not asked to.
 */
abstract class DeltaTables extends ExistingTablesSuite("delta") {

  override protected def sessionSettings: Map[String, String] = Map(
    "spark.sql.extensions" ->
      s"io.delta.sql.DeltaSparkSessionExtension,${classOf[VariantShreddedExtensions].getName}",
    "spark.sql.catalog.spark_catalog" -> "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions" -> "1",
    "spark.databricks.delta.writeChecksumFile.enabled" -> "false",
    "spark.sql.shuffle.partitions" -> "1",
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
    "spark.sql.codegen.wholeStage" -> "false"
  )

  override protected def off: Seq[(String, String)] = super.off :+ (PushDown -> "false")

  protected def values: DataFrame = spark
    .range(200)
    .selectExpr(
      "id",
      "CAST(id % 3 AS INT) AS p",
      """parse_json(concat('{"a": ', id, ', "b": "', id % 7, '"}')) AS v"""
    )

  protected def withTable(properties: String*)(test: String => Unit): Unit = {
    val name = s"t_${java.util.UUID.randomUUID.toString.replace("-", "")}"
    val all = "'delta.enableVariantShredding' = 'true'" +: properties
    spark.sql(
      s"CREATE TABLE $name (id BIGINT, p INT, v VARIANT) USING delta PARTITIONED BY (p) " +
        s"TBLPROPERTIES (${all.mkString(", ")})"
    )
    try {
      values.repartition(1).write.insertInto(name)
      test(name)
    } finally { val _ = spark.sql(s"DROP TABLE $name") }
  }

  protected def same(query: String): Seq[String] = same(spark.sql(query))

  /** Returns how many files the scan of a query lists, whose answer is that of Delta Lake. */
  protected def filesListed(query: String): Int = {
    same(query)
    spark
      .sql(query)
      .queryExecution
      .optimizedPlan
      .collect { case relation: DataSourceV2ScanRelation => relation.scan }
      .collect { case scan: VariantScan => scan.fileIndex.allFiles().size }
      .sum
  }

  protected def same(query: String, takenOver: Boolean): Seq[String] =
    same(spark.sql(query), takenOver)
}
