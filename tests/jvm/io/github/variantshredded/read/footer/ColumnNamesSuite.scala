package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.apache.spark.sql.types.{IntegerType, StructField, StructType}
import org.scalatest.funsuite.AnyFunSuite

class ColumnNamesSuite extends AnyFunSuite {

  private def schema(fields: String): MessageType =
    MessageTypeParser.parseMessageType(s"message spark_schema { $fields }")

  /** The table has the fields `a` and `b`, which are `c-a` and `c-b` in files. */
  private def renamed(table: String, file: String): MessageType = {
    val stored = "\\b[lab]\\b".r.replaceAllIn(table, found => s"`c-${found.matched}`")
    ColumnNames(StructType.fromDDL(table), StructType.fromDDL(stored), caseSensitive = true)
      .rename(schema(file))
  }

  // Each file has the list or map `c-l`, whose structs have fields of the table and others.
  Seq(
    "a list" -> (
      "l ARRAY<STRUCT<a: INT, b: INT>>",
      """optional group c-l (LIST) { repeated group list { optional group element {
        |  optional int32 c-b; optional int32 x; } } }""".stripMargin
    ),
    "a list of two levels" -> (
      "l ARRAY<STRUCT<a: INT, b: INT>>",
      "optional group c-l (LIST) { repeated group array { optional int32 c-b; optional int32 x; } }"
    ),
    "a repeated group without a group around it" -> (
      "l ARRAY<STRUCT<a: INT, b: INT>>",
      "repeated group c-l { optional int32 c-b; optional int32 x; }"
    ),
    "a map" -> (
      "l MAP<STRING, STRUCT<a: INT, b: INT>>",
      """optional group c-l (MAP) { repeated group key_value { required binary key (STRING);
        |  optional group value { optional int32 c-b; optional int32 x; } } }""".stripMargin
    ),
    "a map of old writers" -> (
      "l MAP<STRING, STRUCT<a: INT, b: INT>>",
      """optional group c-l (MAP_KEY_VALUE) { repeated group map { required binary key (STRING);
        |  optional group value { optional int32 c-b; optional int32 x; } } }""".stripMargin
    )
  ).foreach { case (shape, (table, file)) =>
    test(s"fields in $shape get the names of the table") {
      val found = renamed(table, file).toString
      assert(found.contains("\u0000x;"))
      val wanted = schema(file.replace("c-l", "l").replace("c-b", "b")).toString
      assert(found.replace("\u0000", "") == wanted)
    }
  }

  test("a column of another type than in the table is an error that names it") {
    val e = intercept[VariantShreddedException] {
      renamed("l ARRAY<STRUCT<a: INT>>", "optional group c-l { optional int32 c-a; }")
    }
    assert(e.getMessage.contains("column=c-l"), e.getMessage)
  }

  private def renamedWithoutCase(table: StructType, stored: StructType, file: String) =
    ColumnNames(table, stored, caseSensitive = false)
      .rename(schema(file))
      .getFields
      .asScala
      .map(_.getName)

  test(
    "without case, a column with the very name comes before others, and two others are an error"
  ) {
    val table = StructType.fromDDL("n INT, m INT")
    val stored = StructType.fromDDL("a INT, b INT")
    val names = renamedWithoutCase(
      table,
      stored,
      "optional int32 A; optional int32 a; optional int32 B;"
    )
    assert(names == Seq("\u0000A", "n", "m"))
    val e = intercept[VariantShreddedException] {
      renamedWithoutCase(
        table,
        stored,
        "optional int32 A; optional int32 a; optional int32 B; optional int32 B;"
      )
    }
    assert(e.getMessage.contains("Several columns of the file"), e.getMessage)
  }

  test("the time to rename columns grows linearly with their number") {
    val columns = 20000
    val table = StructType((0 until columns).map(i => StructField(s"t$i", IntegerType)))
    val stored = StructType((0 until columns).map(i => StructField(s"C$i", IntegerType)))
    val file = (0 until columns).reverse.map(i => s"optional int32 c$i;").mkString
    val names = renamedWithoutCase(table, stored, file)
    assert(names == (0 until columns).reverse.map(i => s"t$i"))
  }
}
