package io.github.variantshredded.interop

import java.nio.file.Path

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Tables of Delta Lake: their files by path, and ours made a table by `CONVERT TO DELTA`. */
class DeltaSuite extends InteropSuite {

  override protected lazy val spark: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .appName("DeltaSuite")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri.toString)
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.databricks.delta.snapshotPartitions", "1")
    .config("spark.databricks.delta.writeChecksumFile.enabled", "false")
    .config("spark.databricks.delta.stats.collect", "false")
    .config("spark.sql.codegen.wholeStage", "false") // Delta's own queries are many and small
    .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2") // 10000 otherwise
    .getOrCreate()

  private def newTable(columns: String, properties: String*): String = {
    val path = newPath().toString
    spark.sql(
      s"CREATE TABLE delta.`$path` ($columns) USING delta" +
        (if (properties.isEmpty) "" else properties.mkString(" TBLPROPERTIES (", ", ", ")"))
    )
    path
  }

  private def append(rows: DataFrame, path: String): Unit =
    rows.write.format("delta").mode("append").save(path)

  private def byDelta(path: String): Seq[Option[VariantTree]] =
    spark.read
      .format("delta")
      .load(path)
      .collect()
      .toSeq
      .sortBy(_.getInt(0))
      .map(r => tree(r.get(1)))

  private def schemas(path: String): Seq[String] =
    files(Path.of(path))
      .filter(!_.startsWith("_delta_log"))
      .map(f => fileSchema(Path.of(path).resolve(f)))

  test("files of a Delta table with shredded Variants") {
    val path = newTable("n int, v variant", "'delta.enableVariantShredding' = 'true'")
    // Among values of many types Spark shreds nothing: the alike ones have a file of their own.
    val (objects, others) =
      variants(documents: _*).collect().toSeq.partition(row => row.getInt(0) < 4)
    Seq(objects, others).foreach { rows =>
      append(
        spark.createDataFrame(spark.sparkContext.parallelize(rows, 1), variants().schema),
        path
      )
    }
    assert(schemas(path).map(_.contains("typed_value")).sorted === Seq(false, true))
    assertSame(byDelta(path), documents)
    assertDocuments(path)
  }

  test("files of a Delta table without") {
    val path = newTable("n int, v variant")
    append(variants(documents: _*), path)
    assert(schemas(path).forall(!_.contains("typed_value")))
    assertDocuments(path)
  }

  test("ours made a Delta table, and changed by Delta") {
    val path = saved(variants(documents: _*), "shredding" -> shredding).toString
    spark.sql(s"CONVERT TO DELTA parquet.`$path`")
    assertSame(byDelta(path), documents)
    spark.sql(s"DELETE FROM delta.`$path` WHERE try_variant_get(v, '$$.id', 'int') = 1")
    append(variants(documents.take(1): _*), path)
    assertSame(byDelta(path), documents)
  }

  test("by path all files are read, those too that the log has left") {
    val path = newTable("n int, v variant")
    append(variants(Some(Int8(1)), Some(Int8(2))), path)
    spark.sql(s"DELETE FROM delta.`$path` WHERE n = 0")
    assertSame(byDelta(path), Seq(Some(Int8(2))))
    assert(loaded(path).size > 1)
  }

  test("a table by name is not replaced by one of this format, and stays") {
    spark.range(3).write.format("delta").saveAsTable("replaced")
    try {
      Seq[() => Any](
        () =>
          spark.sql("CREATE OR REPLACE TABLE replaced USING variant_shredded AS SELECT 1 AS id"),
        () => spark.sql("REPLACE TABLE replaced (id INT) USING variant_shredded"),
        () =>
          spark.range(1).write.format("variant-shredded").mode("overwrite").saveAsTable("replaced"),
        () => spark.range(1).writeTo("replaced").using("variant-shredded").createOrReplace()
      ).foreach { replace =>
        val error = intercept[VariantShreddedException](replace()).getMessage
        assert(error.contains("org.apache.spark.sql.delta.catalog.DeltaCatalog"), error)
        assert(spark.table("replaced").count() === 3)
      }
    } finally { val _ = spark.sql("DROP TABLE replaced") }
  }
}
