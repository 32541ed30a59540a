package io.github.variantshredded.shredding

import io.github.variantshredded.errors.VariantShreddedException
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

  private def like(path: String, column: VariantColumn): ShreddingSchema =
    ObjectOf(Vector(path -> Unshredded, column.name -> Unshredded))

  private def parse(
      option: String,
      caseSensitive: Boolean = false
  ): Map[String, ColumnShredding] = {
    val spec = ShreddingSpec.parse(option, schema, caseSensitive, like)
    assert(
      spec.columns.map(_.name) === Vector("v", "s.w", "s.`a.b`", "l.element", "m.value.x", "V2")
    )
    spec.columns.map(column => column.name -> column.shredding).toMap
  }

  private def refused(option: String, caseSensitive: Boolean = false): String =
    intercept[VariantShreddedException](
      ShreddingSpec.parse(option, schema, caseSensitive, like)
    ).reason

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
    assert(ShreddingSpec.parse("infer", schema, false, like).infers)
    assert(!ShreddingSpec.parse("none", schema, false, like).infers)
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
    val spec = ShreddingSpec.parse("""{"V": "int"}""", twice, false, like)
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

  test("fields as DDL are for the only column with Variants") {
    def only(ddl: String, option: String) =
      ShreddingSpec.parse(option, StructType.fromDDL(ddl), false, like).columns.map(_.shredding)
    assert(only("id bigint, v variant", "int") === Vector(int))
    assert(
      only("v variant", " a int, b struct<c string> ") ===
        Vector(
          Given(
            ObjectOf(
              Vector(
                "a" -> Primitive(ShreddedType.Int32),
                "b" -> ObjectOf(Vector("c" -> Primitive(ShreddedType.StringType)))
              )
            )
          )
        )
    )
    assert(only("l array<variant>", "int") === Vector(int))
    assert(
      intercept[VariantShreddedException](only("id bigint", "a int")).reason ===
        "Cannot use the shredding specification 'a int': expected 'infer', 'none', 'like:PATH' or a " +
        "JSON object such as {\"v\": \"id bigint, name string\"}, as there are 0 columns with " +
        "Variants: none."
    )
    assert(
      intercept[VariantShreddedException](only("v variant", "")).reason.endsWith(
        "expected 'infer', 'none', 'like:PATH' or fields such as: id bigint, name string."
      )
    )
  }

  test("like:PATH is for all columns, or for one") {
    def taken(path: String, column: String) =
      Given(ObjectOf(Vector(path -> Unshredded, column -> Unshredded)))
    assert(parse("like:/a b") === inferred.keys.map(name => name -> taken("/a b", name)).toMap)
    assert(parse("""{"v": "LIKE: x:y"}""") === inferred.updated("v", taken("x:y", "v")))
  }

  test("other texts are refused") {
    val several = "expected 'infer', 'none', 'like:PATH' or a JSON object such as " +
      "{\"v\": \"id bigint, name string\"}, as there are 6 columns with Variants: 'v', 's.w', "
    assert(refused("").contains(several))
    assert(refused("id bigint").contains(several))
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
