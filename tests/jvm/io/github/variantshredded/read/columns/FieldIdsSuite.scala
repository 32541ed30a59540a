package io.github.variantshredded.read.columns

import io.github.variantshredded.testing.PathSuite
import org.apache.commons.lang3.exception.ExceptionUtils
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.types._

/** Columns that are found in the files by their Parquet field ids. */
class FieldIdsSuite extends PathSuite {
  private val ReadIds = "spark.sql.parquet.fieldId.read.enabled"

  private def withId(name: String, dataType: DataType, id: Int): StructField = {
    val metadata = new MetadataBuilder().putLong("parquet.field.id", id.toLong).build()
    StructField(name, dataType, nullable = true, metadata)
  }

  private def struct(fields: StructField*): StructType = StructType(fields)

  private val stored = struct(
    withId("id", LongType, 1),
    withId("v", VariantType, 2),
    withId("s", struct(withId("w", VariantType, 4), withId("x", VariantType, 5)), 3)
  )

  // Columns of the files with other names, and new columns with the names of these.
  private val renamed = struct(
    withId("number", LongType, 1),
    withId("old", VariantType, 2),
    withId("v", VariantType, 6),
    withId(
      "t",
      struct(
        withId("x", VariantType, 4),
        withId("w", VariantType, 5),
        withId("y", VariantType, 7)
      ),
      3
    )
  )

  private def write(ids: Boolean): String = {
    val rows = spark.sql(
      """SELECT id, parse_json('{"a": ' || id || '}') v,
        |  named_struct('w', parse_json('{"b": ' || (id + 10) || '}'),
        |    'x', parse_json('{"b": ' || (id + 20) || '}')) s
        |FROM range(5)""".stripMargin
    )
    withConf("spark.sql.parquet.fieldId.write.enabled" -> ids.toString) {
      written(spark.createDataFrame(rows.rdd, stored))
    }
  }

  private def read(path: String): DataFrame = reader.schema(renamed).load(path)

  test("a column is found by its id, and a column without data is not found by its name") {
    val path = write(ids = true)
    withConf(ReadIds -> "true") {
      val extracted = read(path).selectExpr(
        "number",
        "old:a::int",
        "v:a::int",
        "t.x:b::int",
        "t.w:b::int",
        "t.y:b::int"
      )
      assert(extracted.where("number = 3").collect().toSeq == Seq(Row(3L, 3, null, 13, 23, null)))
      assert(read(path).where("v:a::int = 3").count() == 0)
      assert(read(path).where("old:a::int = 3").select("number").collect().toSeq == Seq(Row(3L)))
      assert(
        read(path).where("t.x:b::int > 13").selectExpr("t.w:b::int").collect().toSeq == Seq(Row(24))
      )
      assert(read(path).where("v IS NOT NULL").count() == 0)
      assert(
        read(path).selectExpr("to_json(old)").collect().map(_.getString(0)).toSet ==
          (0 until 5).map(id => s"""{"a":$id}""").toSet
      )
    }
  }

  test("a file without field ids is refused, unless they may be missing") {
    val path = write(ids = false)
    for (byId <- Seq("true", "false"); column <- Seq("v:a::int", "v", "number")) {
      withConf(ReadIds -> byId) {
        val error = intercept[Exception](read(path).selectExpr(column).collect())
        val text = ExceptionUtils.getStackTrace(error)
        assert(text.contains("spark.sql.parquet.fieldId.read.ignoreMissing"), text)
      }
    }
    withConf(ReadIds -> "true") {
      withConf("spark.sql.parquet.fieldId.read.ignoreMissing" -> "true") {
        assert(read(path).selectExpr("v:a::int").collect().toSet == Set(Row(null)))
      }
    }
    withConf("spark.sql.parquet.fieldId.read.ignoreMissing" -> "true") {
      assert(read(path).selectExpr("v:a::int").collect().toSet == (0 until 5).map(Row(_)).toSet)
    }
  }
}
