package io.github.variantshredded.optimizer

import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}
import org.apache.spark.sql.Row

/** What Spark reads of the batches where it makes no code, as it does where the code is too long. */
class InterpretedSuite extends SparkSuite with TemporaryFolder {

  private def rows(select: String): Seq[Row] =
    withConf(
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
      "spark.sql.codegen.wholeStage" -> "false"
    )(spark.sql(s"SELECT $select FROM wide ORDER BY id").collect().toSeq)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val path = folder.resolve("wide").toString
    spark
      .sql("""SELECT id, parse_json('{"a": {"b": 1}}') AS v,
             |  if(id = 0, NULL, cast(2 AS decimal(38,10))) AS p
             |FROM range(0, 2, 1, 1)""".stripMargin)
      .write
      .format("variant-shredded")
      .partitionBy("p")
      .save(path)
    spark.read
      .schema("id bigint, v variant, lacking decimal(38,10), p decimal(38,10)")
      .format("variant-shredded")
      .load(path)
      .createOrReplaceTempView("wide")
  }

  Seq(
    "try_variant_get(v, '$.c', 'decimal(38,10)')",
    "try_variant_get(v, '$.a', 'struct<x: decimal(38,10)>').x",
    "try_variant_get(v, '$.c', 'struct<x: decimal(38,10)>').x",
    "try_variant_get(v, '$.c[1]', 'decimal(38,10)')",
    "lacking"
  ).foreach { select =>
    test(s"$select is a null decimal") {
      assert(rows(select) === Seq(Row(null), Row(null)))
    }
  }

  test("a struct with a null decimal") {
    val expected = Row(Row(null))
    assert(
      rows("try_variant_get(v, '$.a', 'struct<x: decimal(38,10)>')") === Seq(expected, expected)
    )
  }

  test("a partition of a null decimal") {
    assert(
      rows("p IS NULL, p") ===
        Seq(Row(true, null), Row(false, new java.math.BigDecimal("2.0000000000")))
    )
  }
}
