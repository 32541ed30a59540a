package io.github.variantshredded.shredding

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.shredding.ShreddingGenerators._
import io.github.variantshredded.shredding.ShreddingSchema._
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ShreddingTextSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 500)

  private val int = Primitive(ShreddedType.Int32)
  private val text = Primitive(ShreddedType.StringType)

  private def parse(ddl: String): ShreddingSchema = ShreddingText.parse(ddl)

  private def refused(ddl: String): String =
    intercept[VariantShreddedException](ShreddingText.parse(ddl)).getMessage

  test("every type has its name, and Spark's other names of it") {
    val names = Map(
      "boolean" -> ShreddedType.BooleanType,
      "tinyint" -> ShreddedType.Int8,
      "byte" -> ShreddedType.Int8,
      "smallint" -> ShreddedType.Int16,
      "short" -> ShreddedType.Int16,
      "int" -> ShreddedType.Int32,
      "integer" -> ShreddedType.Int32,
      "bigint" -> ShreddedType.Int64,
      "long" -> ShreddedType.Int64,
      "float" -> ShreddedType.FloatType,
      "real" -> ShreddedType.FloatType,
      "double" -> ShreddedType.DoubleType,
      "decimal(12, 3)" -> ShreddedType.DecimalOf(12, 3),
      "decimal" -> ShreddedType.DecimalOf(10, 0),
      "date" -> ShreddedType.Date,
      "time" -> ShreddedType.Time,
      "timestamp" -> ShreddedType.TimestampMicros,
      "timestamp_ntz" -> ShreddedType.TimestampNtzMicros,
      "timestamp_ns" -> ShreddedType.TimestampNanos,
      "timestamp_ntz_ns" -> ShreddedType.TimestampNtzNanos,
      "binary" -> ShreddedType.Binary,
      "string" -> ShreddedType.StringType,
      "uuid" -> ShreddedType.Uuid
    )
    names.foreach { case (name, expected) =>
      assert(parse(name) === Primitive(expected))
      assert(parse(s" ${name.toUpperCase(java.util.Locale.ROOT)} ") === Primitive(expected))
    }
    assert(parse("variant") === Unshredded)
  }

  test("a list of fields is an object; colons are optional, names keep their case") {
    val expected = ObjectOf(
      Vector(
        "ts" -> Primitive(ShreddedType.TimestampMicros),
        "Type" -> text,
        "type" -> int,
        "tags" -> ArrayOf(text),
        "actor" -> ObjectOf(Vector("id" -> Primitive(ShreddedType.Int64), "name" -> text))
      )
    )
    assert(
      parse(
        "ts timestamp, Type string, type int, tags array<string>, " +
          "actor struct<id bigint, name: string>"
      ) === expected
    )
    assert(
      parse(
        "struct<ts:timestamp,Type:string,type:int,tags:ARRAY<string>,actor:struct<id long," +
          "name string>>"
      ) === expected
    )
  }

  test("a word with more behind it is a field, even if it is the name of a type") {
    assert(parse("int int") === ObjectOf(Vector("int" -> int)))
    assert(parse("array array<int>") === ObjectOf(Vector("array" -> ArrayOf(int))))
    assert(parse("struct: int") === ObjectOf(Vector("struct" -> int)))
  }

  test("names in backticks hold anything, nothing too") {
    assert(parse("`a.b` int") === ObjectOf(Vector("a.b" -> int)))
    assert(parse("`` int, `a``b` string") === ObjectOf(Vector("" -> int, "a`b" -> text)))
    assert(parse("größe int") === ObjectOf(Vector("größe" -> int)))
  }

  test("errors name the character where reading stopped") {
    def message(ddl: String, reason: String) =
      assert(
        refused(
          ddl
        ) === "[INVALID_SHREDDING_SPECIFICATION] Cannot use the shredding specification " +
          s"'$ddl': $reason"
      )
    message("", "at character 1: it is empty; expected a type or a list of fields.")
    message("  ", "at character 3: it is empty; expected a type or a list of fields.")
    message("number", "at character 1: 'number' is not a type.")
    message("id bigint, name text", "at character 17: 'text' is not a type.")
    message("id bigint,", "at character 11: expected a field name, found the end.")
    message("id", "at character 1: 'id' is not a type.")
    message("id int name string", "at character 8: expected the end, found 'n'.")
    message("a int, b int, a string", "at character 15: the field a is given twice.")
    message("a struct<b int, `b` int>", "at character 17: the field b is given twice.")
    message("array<int", "at character 10: expected '>', found the end.")
    message("array", "at character 6: expected '<', found the end.")
    message("a array int", "at character 9: expected '<', found 'i'.")
    message("struct<>", "at character 8: expected a field name, found '>'.")
    message(
      "decimal(39,2)",
      "at character 1: decimal(39,2) must have a precision of 1 to 38 and " +
        "a scale up to it."
    )
    message(
      "decimal(2,3)",
      "at character 1: decimal(2,3) must have a precision of 1 to 38 and a " +
        "scale up to it."
    )
    message("decimal(12345678901,0)", "at character 9: expected a number, found '1'.")
    message("decimal(x,0)", "at character 9: expected a number, found 'x'.")
    message("`a int", "at character 1: the backtick is never closed.")
    message("a `int`", "at character 3: expected a type, found '`'.")
    message("`int`", "at character 6: expected a type, found the end.")
    message("a-b int", "at character 2: expected a type, found '-'.")
    message("$a int", "at character 1: expected a type or a field name, found '$'.")
  }

  test("depth is bounded") {
    def nested(depth: Int) = "array<" * depth + "int" + ">" * depth
    assert(parse(nested(200)) !== Unshredded)
    assert(refused(nested(201)).contains("it is nested deeper than 200 levels"))
    // A list of fields is an object around them.
    assert(parse(s"x ${nested(199)}") !== Unshredded)
    assert(refused(s"x ${nested(200)}").contains("it is nested deeper than 200 levels"))
    assert(refused("array<" * 1000000).contains("it is nested deeper than 200 levels"))
  }

  test("names that UTF-8 cannot hold are refused") {
    assert(refused("`\ud800` int").contains("the field's name is not valid Unicode"))
  }

  test("what is rendered is read as the same schema") {
    forAll(genSchema(4, 4)) { schema =>
      val rendered = ShreddingText.render(schema)
      assert(parse(rendered) === schema, rendered)
      assert(ShreddingText.render(parse(rendered)) === rendered)
    }
  }

  test("rendered text is what a user would write") {
    val ddl =
      "ts timestamp, `a b` decimal(9,2), tags array<string>, actor struct<id bigint, x variant>"
    assert(ShreddingText.render(parse(ddl)) === ddl)
    assert(ShreddingText.render(ArrayOf(int)) === "array<int>")
  }

  test("any text is read or refused with our error") {
    val pieces = Gen.oneOf(
      "int",
      "string",
      "array",
      "struct",
      "decimal",
      "<",
      ">",
      "(",
      ")",
      ",",
      ":",
      "`",
      " ",
      "a",
      "b",
      "1",
      "38",
      "``",
      "\ud800",
      "\u0000"
    )
    forAll(Gen.listOf(pieces).map(_.mkString)) { ddl =>
      try {
        val schema = parse(ddl)
        assert(parse(ShreddingText.render(schema)) === schema)
      } catch {
        case e: VariantShreddedException =>
          assert(e.getCondition === "INVALID_SHREDDING_SPECIFICATION")
      }
    }
  }
}
