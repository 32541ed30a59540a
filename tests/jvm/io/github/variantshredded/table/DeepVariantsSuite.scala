package io.github.variantshredded.table

import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.DataFrame

/** Whatever `parse_json` takes is written and read, however deep it is: 1000 levels. */
class DeepVariantsSuite extends PathSuite {

  private def texts: Seq[String] = Seq(512, 513, 700, 999, 1000).flatMap { depth =>
    Seq(
      "[" * depth + "]" * depth,
      "{\"a\":" * depth + depth + "}" * depth,
      "[{\"b\":" * (depth / 2) + "\"x\"" + "}]" * (depth / 2)
    )
  }

  private def df: DataFrame = {
    val session = spark
    import session.implicits._
    texts.zipWithIndex
      .toDF("json", "n")
      .repartition(1)
      .selectExpr("n", "json", "parse_json(json) as v")
  }

  private def same(path: String): Unit = {
    val read = reader.load(path)
    assert(read.where("to_json(v) = json").count() === texts.size)
    assert(read.where("v:a IS NOT NULL").count() === texts.size / 3)
    assert(read.where("variant_shredded.checksum(v) IS NOT NULL").count() === texts.size)
    ()
  }

  Seq(
    "inferred" -> Map.empty[String, String],
    "not shredded" -> Map("shredding" -> "none"),
    "in part" -> Map("shredding" -> "a struct<a struct<a variant>>"),
    "in the earlier layout" -> Map("layout" -> "overview"),
    "sorted by shape" -> Map("clustering" -> "shape")
  ).foreach { case (how, options) =>
    test(s"deep Variants are written and read, $how") {
      val path = newPath()
      writer(df).options(options).save(path)
      same(path)
    }
  }

  test("Spark's own source reads them") {
    val path = written(df)
    val sum = "sum(cast(variant_shredded.checksum(v) AS decimal(38)))"
    val expected = reader.load(path).selectExpr(sum).collect().toSeq
    assert(df.selectExpr(sum).collect().toSeq === expected)
    assert(spark.read.parquet(path).selectExpr(sum).collect().toSeq === expected)
  }

  test("a lower maxDepth is heeded") {
    val path = written(df)
    val error =
      intercept[Exception](reader.option("maxDepth", "998").load(path).select("v").collect())
    assert(error.getMessage.contains("deeper than"))
  }
}
