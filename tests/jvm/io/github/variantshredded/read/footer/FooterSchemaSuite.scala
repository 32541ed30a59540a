package io.github.variantshredded.read.footer

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.options.ReaderConf
import io.github.variantshredded.testing.SparkSuite
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.{classic, AnalysisException}
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

class FooterSchemaSuite extends SparkSuite {

  private lazy val conf: Configuration =
    ReaderConf(spark.asInstanceOf[classic.SparkSession], CaseInsensitiveStringMap.empty)

  private def inferred(fields: String, keyValues: (String, String)*): StructType =
    FooterSchema(
      MessageTypeParser.parseMessageType(s"message m { $fields }"),
      keyValues.toMap,
      conf
    )

  private def nullable(ddl: String): StructType = StructType.fromDDL(ddl)

  private val plain = "required binary metadata; required binary value;"

  test("annotated groups, whatever they hold") {
    Seq(
      plain,
      "required binary value; required binary metadata; optional int64 typed_value (TIME(MICROS,false));",
      "required binary metadata; optional binary value; optional fixed_len_byte_array(16) typed_value (UUID);",
      "required binary metadata; optional int64 typed_value (TIMESTAMP(NANOS,true)); optional binary _x;",
      """required binary metadata; optional binary value; optional group typed_value {
           required group t { optional binary value; optional int64 typed_value (TIMESTAMP(NANOS,false)); }
         }"""
    ).foreach { group =>
      assert(inferred(s"optional group v (VARIANT(1)) { $group }") === nullable("v variant"))
    }
  }

  test(
    "unannotated groups of exactly the binaries metadata and value, with or without typed_value"
  ) {
    assert(inferred(s"optional group v { $plain }") === nullable("v variant"))
    assert(
      inferred(s"optional group v { $plain optional int64 typed_value (TIME(MICROS,false)); }")
        === nullable("v variant")
    )
    Seq(
      s"$plain optional int32 other;" -> "metadata binary not null, value binary not null, other int",
      "required binary metadata;" -> "metadata binary not null",
      "required binary metadata (STRING); required binary value;" ->
        "metadata string not null, value binary not null",
      "required binary metadata; required int32 value;" ->
        "metadata binary not null, value int not null",
      "required binary metadata; repeated binary value;" ->
        "metadata binary not null, value array<binary> not null"
    ).foreach { case (group, ddl) =>
      val field = inferred(s"optional group v { $group }").head
      assert(
        field.dataType.toString.replace(",false)", ",true)")
          === StructType.fromDDL(ddl).toString.replace(",false)", ",true)")
      )
    }
    // The fields of the file itself are columns.
    assert(inferred(plain).fieldNames === Array("metadata", "value"))
  }

  test("nested in structs, lists of both forms, maps") {
    val v = s"group element (VARIANT(1)) { $plain }"
    assert(
      inferred(s"""
        optional group s { optional int32 a; optional group b (VARIANT(1)) { $plain } }
        optional group l3 (LIST) { repeated group list { optional $v } }
        optional group l2 (LIST) { repeated $v }
        repeated $v
        optional group m (MAP) {
          repeated group key_value {
            required binary key (STRING); optional group value (VARIANT(1)) { $plain }
          }
        }
      """).toNullable
        === nullable(
          "s struct<a int, b variant>, l3 array<variant>, l2 array<variant>, " +
            "element array<variant>, m map<string, variant>"
        )
    )
  }

  test("a Variant as the key of a map is refused") {
    val error = intercept[VariantShreddedException] {
      inferred(s"""optional group m (MAP) { repeated group key_value {
          required group key (VARIANT(1)) { $plain } optional int32 value; } }""")
    }
    assert(error.condition === "INVALID_VARIANT_SHREDDING_SCHEMA")
  }

  test("the schema that Spark left in the footer wins, if it can be read") {
    val key = "org.apache.spark.sql.parquet.row.metadata"
    val written = nullable("v struct<metadata binary, value binary>, c char(3)")
    val group = s"optional group v { $plain } optional binary c (STRING);"
    assert(inferred(group, key -> written.json) === written)
    assert(inferred(group, key -> "no JSON") === nullable("v variant, c string"))
    assert(inferred(group, key -> "\"int\"") === nullable("v variant, c string"))
    val old = "StructType(List(StructField(a,ShortType,true), StructField(c,StringType,true)))"
    val numbers = "optional int32 a; optional binary c (STRING);"
    assert(inferred(numbers, key -> old) === nullable("a smallint, c string"))
    val deep = "ArrayType(" * 100000
    assert(inferred(numbers, key -> deep) === nullable("a int, c string"))
  }

  test("other columns are Spark's, with its errors") {
    assert(
      inferred("optional int32 d (DATE); optional int96 t; required binary b; optional double x;")
        === nullable("d date, t timestamp, b binary not null, x double")
    )
    intercept[AnalysisException](inferred("optional int32 t (TIME(MILLIS,true));"))
  }
}
