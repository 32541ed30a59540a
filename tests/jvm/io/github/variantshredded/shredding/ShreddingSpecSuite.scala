package io.github.variantshredded.shredding

import io.github.variantshredded.VariantShreddedException
import io.github.variantshredded.shredding.ColumnShredding.{Given, Infer}
import io.github.variantshredded.shredding.ShreddingSchema._
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

class ShreddingSpecSuite extends AnyFunSuite {

  private val schema = StructType.fromDDL(
    "id bigint, v variant, s struct<w variant, n int, `a.b` variant>, l array<variant>, " +
      "m map<string, struct<x variant>>, V2 variant"
  )
  private val int = Given(Primitive(ShreddedType.Int32))
  private val none = Given(Unshredded)

  private def parse(
      option: String,
      caseSensitive: Boolean = false
  ): Map[String, ColumnShredding] = {
    val spec = ShreddingSpec.parse(option, schema, caseSensitive)
    assert(
      spec.columns.map(_.name) === Vector("v", "s.w", "s.`a.b`", "l.element", "m.value.x", "V2")
    )
    spec.columns.map(column => column.name -> column.shredding).toMap
  }

  private def refused(option: String, caseSensitive: Boolean = false): String =
    intercept[VariantShreddedException](ShreddingSpec.parse(option, schema, caseSensitive)).reason

  private val inferred: Map[String, ColumnShredding] = Map(
    "v" -> Infer,
    "s.w" -> Infer,
    "s.`a.b`" -> Infer,
    "l.element" -> none,
    "m.value.x" -> none,
    "V2" -> Infer
  )

  test("infer and none are for all columns; those in arrays and maps are never inferred unasked") {
    assert(parse("infer") === inferred)
    assert(parse(" INFER ") === inferred)
    assert(parse("none") === inferred.map(_._1 -> none))
    assert(ShreddingSpec.parse("infer", schema, caseSensitive = false).infers)
    assert(!ShreddingSpec.parse("none", schema, caseSensitive = false).infers)
  }

  test("a JSON object names columns; the others are inferred") {
    assert(parse("{}") === inferred)
    assert(parse("""{"v": "int"}""") === inferred.updated("v", int))
    assert(
      parse("""{"v": "none", "s.w": "int", "s.`a.b`": "infer", "l.element": "int",
              | "m.value.x": "infer", "`V2`": "int"}""".stripMargin) === Map(
        "v" -> none,
        "s.w" -> int,
        "s.`a.b`" -> Infer,
        "l.element" -> int,
        "m.value.x" -> Infer,
        "V2" -> int
      )
    )
  }

  test("names are compared as the session compares them") {
    assert(parse("""{"V": "int", "S.W": "int"}""")("s.w") === int)
    assert(refused("""{"V": "int"}""", caseSensitive = true).contains("there is no column 'V'"))
    val twice = StructType.fromDDL("v variant, V variant")
    val spec = ShreddingSpec.parse("""{"V": "int"}""", twice, caseSensitive = false)
    assert(spec.columns.map(_.shredding) === Vector(Infer, int))
  }

  test("unknown columns and columns of other types are refused, with those there are") {
    val listed = "columns with Variants: 'v', 's.w', 's.`a.b`', 'l.element', 'm.value.x', 'V2'."
    assert(refused("""{"x": "int"}""").endsWith(s"there is no column 'x'; $listed"))
    assert(refused("""{"s.x": "int"}""").endsWith(s"there is no column 's.x'; $listed"))
    assert(refused("""{"m.key": "int"}""").endsWith(s"there is no column 'm.key'; $listed"))
    assert(refused("""{"id": "int"}""").endsWith(s"the column 'id' is not a Variant; $listed"))
    assert(refused("""{"s": "int"}""").endsWith(s"the column 's' is not a Variant; $listed"))
    assert(refused("""{"l": "int"}""").endsWith(s"the column 'l' is not a Variant; $listed"))
  }

  test("other texts are refused") {
    assert(refused("").contains("expected 'infer', 'none', or a JSON object"))
    assert(refused("id bigint").contains("expected 'infer', 'none', or a JSON object"))
    assert(refused("{").contains("not JSON: "))
    assert(refused("""{"v": "int"} x""").contains("not JSON: "))
    assert(refused("""{"v": "int"} {}""").contains("it is not one JSON object."))
    assert(refused("""{"v": 1}""").contains("the value of 'v' is not a string."))
    assert(refused("""{"v": null}""").contains("the value of 'v' is not a string."))
    assert(refused("""{"v": "int", "v": "int"}""").contains("not JSON: Duplicate field 'v'"))
    assert(refused("""{"v": "int", "V": "int"}""").contains("the column 'v' is given twice."))
    assert(refused("""{"v": "number"}""").contains("'number' is not a type"))
    Seq("", ".", "v.", ".v", "s..w", "`v", "v`", "`v`x").foreach { path =>
      assert(refused(s"""{"$path": "int"}""").contains(s"'$path' is not a column path"), path)
    }
  }
}
