package io.github.variantshredded.shredding

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.shredding.PathVerdict._
import io.github.variantshredded.shredding.ShreddingSchema._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

class ShreddingChoicesSuite extends AnyFunSuite {

  private val schema =
    StructType.fromDDL("id bigint, v variant, s struct<w variant, `a.b` variant>, l array<variant>")

  private def choices(shredding: String, options: (String, String)*): Map[String, PathChoice] = {
    val spec = ShreddingSpec.parse(shredding, schema, caseSensitive = false, (_, _) => Unshredded)
    ShreddingChoices(
      new CaseInsensitiveStringMap(options.toMap.asJava),
      spec,
      schema,
      caseSensitive = false
    ).columns.map(column => column.name -> column.choice.wanted).toMap
  }

  private def wanted(options: (String, String)*): PathChoice = choices("infer", options: _*)("v")

  private def refused(shredding: String, options: (String, String)*): String = {
    val e = intercept[VariantShreddedException](choices(shredding, options: _*))
    assert(e.condition === "INVALID_VARIANT_SHREDDED_OPTION")
    e.reason
  }

  private def refused(option: (String, String)): String = refused("infer", option)

  private val bigint: PathVerdict = Pin(Primitive(ShreddedType.Int64))

  test("options for columns whose names differ only in case are refused") {
    val schema = StructType.fromDDL("v variant, V variant, s struct<w variant, W bigint>")
    val spec = ShreddingSpec.parse("infer", schema, caseSensitive = true, (_, _) => Unshredded)
    def choose(option: (String, String)) = ShreddingChoices(
      new CaseInsensitiveStringMap(Map(option).asJava),
      spec,
      schema,
      caseSensitive = true
    )
    Seq("shredding.v.pin", "shredding.V.pin").foreach { option =>
      val e = intercept[VariantShreddedException](choose(option -> "$.a bigint"))
      assert(e.condition === "INVALID_VARIANT_SHREDDED_OPTION")
      assert(e.reason.endsWith("give the schemas of 'v', 'V' by the JSON form of 'shredding'."))
    }
    assert(choose("shredding.s.w.include" -> "$.a").columns.last.choice.wanted !== PathChoice.Free)
    assert(choose("shredding.include" -> "$.a").columns.size === 3)
  }

  test("nothing is wanted where nothing is said") {
    assert(wanted() === PathChoice.Free)
    assert(wanted("inferRows" -> "7", "mergeSchema" -> "true") === PathChoice.Free)
    assert(wanted("shredding.pin" -> null, "shredding.v.include" -> null) === PathChoice.Free)
  }

  test("paths") {
    val expected = PathChoice(fields =
      Map(
        "a" -> PathChoice(fields = Map("b" -> PathChoice(Include))),
        "odd, ']" -> PathChoice(element = Some(PathChoice(element = Some(PathChoice(Include))))),
        "ä-1" -> PathChoice(Include),
        "x y" -> PathChoice(fields = Map("z" -> PathChoice(Include)))
      )
    )
    assert(
      wanted(
        "shredding.include" -> """ $.a.b,$['odd, \']'][*][*] , $.ä-1, $["x y"].z """
      ) === expected
    )
    assert(wanted("shredding.include" -> "$") === PathChoice(Include))
    assert(
      wanted("shredding.exclude" -> "$.a[*].b") ===
        PathChoice(fields =
          Map(
            "a" -> PathChoice(element = Some(PathChoice(fields = Map("b" -> PathChoice(Exclude)))))
          )
        )
    )
  }

  test("pins have types, with what belongs to them") {
    assert(
      wanted(
        "shredding.pin" -> "$.a bigint, $.b struct<x int, `y,>` decimal(10,2)>,$.c  array<int>"
      ) ===
        PathChoice(fields =
          Map(
            "a" -> PathChoice(bigint),
            "b" -> PathChoice(
              Pin(
                ObjectOf(
                  Vector(
                    "x" -> Primitive(ShreddedType.Int32),
                    "y,>" -> Primitive(ShreddedType.DecimalOf(10, 2))
                  )
                )
              )
            ),
            "c" -> PathChoice(Pin(ArrayOf(Primitive(ShreddedType.Int32))))
          )
        )
    )
    assert(wanted("shredding.pin" -> "$ bigint") === PathChoice(bigint))
  }

  test("several options work together, on nested paths too") {
    assert(
      wanted(
        "shredding.include" -> "$.a",
        "shredding.exclude" -> "$.a.b",
        "shredding.pin" -> "$.a.c[*] bigint"
      ) === PathChoice(fields =
        Map(
          "a" -> PathChoice(
            Include,
            Map("b" -> PathChoice(Exclude), "c" -> PathChoice(element = Some(PathChoice(bigint))))
          )
        )
      )
    )
  }

  test("by column: in place of the general option of that kind") {
    val all = choices(
      """{"s.w": "none", "l.element": "infer"}""",
      "shredding.pin" -> "$.a bigint",
      "SHREDDING.V.PIN" -> "$.b bigint",
      "shredding.v.exclude" -> "$.c",
      "shredding.s.`a.b`.exclude" -> "$.d"
    )
    def one(name: String, verdict: PathVerdict) = name -> PathChoice(verdict)
    assert(all("v") === PathChoice(fields = Map(one("b", bigint), one("c", Exclude))))
    assert(all("s.`a.b`") === PathChoice(fields = Map(one("a", bigint), one("d", Exclude))))
    assert(all("l.element") === PathChoice(fields = Map(one("a", bigint))))
    assert(all("s.w") === PathChoice.Free)
  }

  test("what cannot be read is refused with its location and what would be right") {
    assert(
      refused("shredding.include" -> "a.b") === "Option 'shredding.include' is 'a.b', expected " +
        "a comma-separated list of paths, such as $.a.b, $['odd name'], $.list[*].c; " +
        "at character 1: expected '$', found 'a'."
    )
    assert(
      refused("shredding.pin" -> "$.a bigint, $.b") === "Option 'shredding.pin' is " +
        "'$.a bigint, $.b', expected a comma-separated list of paths, such as $.ts timestamp, " +
        "$.user struct<id bigint>; at character 16: $.b has no type."
    )
    Seq(
      "" -> "at character 1: expected '$', found the end",
      "$.a," -> "at character 5: expected '$', found the end",
      "$.a $.b" -> "at character 5: expected ',', found '$'",
      "$.a..b" -> "at character 5: expected a field's name, found '.'",
      "$.a[0]" -> "at character 5: expected a name between quotes, or '*' for the elements, found '0'",
      "$.a['b" -> "at character 5: the quote is not closed",
      "$.a['b'" -> "at character 8: expected ']', found the end",
      "$.a[*" -> "at character 6: expected ']', found the end",
      "$a" -> "at character 2: expected ',', found 'a'"
    ).foreach { case (text, reason) =>
      assert(refused("shredding.exclude" -> text).endsWith(s"; $reason."), text)
    }
    Seq(
      "$.a number" -> "at character 5: 'number' is not a type",
      "$.a x bigint" -> "at character 5: 'x bigint' is not a type",
      "$.a struct<x>" -> "at character 5: 'struct<x>' is not a type",
      "$.a ,$.b int" -> "at character 5: $.a has no type"
    ).foreach { case (text, reason) =>
      assert(refused("shredding.pin" -> text).endsWith(s"; $reason."), text)
    }
  }

  test("options that contradict each other are refused") {
    def both(include: String, exclude: String = "", pin: String = "") = refused(
      "infer",
      Seq("include" -> include, "exclude" -> exclude, "pin" -> pin)
        .filter(_._2.nonEmpty)
        .map { case (kind, text) => s"shredding.$kind" -> text }: _*
    )
    assert(
      both("$.a", exclude = "$.a") ===
        "Option 'shredding.exclude' is '$.a', expected paths that agree: $.a is given twice."
    )
    assert(both("$.a, $.a").endsWith("$.a is given twice."))
    assert(both("$.a.b", exclude = "$.a").endsWith("$.a contains other given paths."))
    assert(both("$.a.b", pin = "$.a int").endsWith("$.a contains other given paths."))
    assert(
      both("$.x", pin = "$.a struct<b int>, $.a.c int").endsWith(
        "$.a.c lies in a pinned path."
      )
    )
    assert(
      both("$.x", exclude = "$.a", pin = "$.a.b int").endsWith(
        "$.a.b lies in an excluded path."
      )
    )
    assert(both("$.x", exclude = "$.a, $.a.b").endsWith("$.a.b lies in another excluded path."))
    assert(
      both("$.a.b, $.a[*]").endsWith(
        "$.a[*] lies in a value that would have to be both an object and an array."
      )
    )
    val deep = "$" + ".a" * 201
    assert(both(deep).endsWith("is deeper than 200 levels."))
    assert(
      both("$.x", pin = "$" + ".a" * 199 + " array<array<int>>").endsWith("deeper than 200 levels.")
    )
  }

  test("unknown options and columns that are not inferred are refused") {
    val known = "expected one of the options 'shredding.include', 'shredding.<column>.include', " +
      "'shredding.exclude', 'shredding.<column>.exclude', 'shredding.pin', 'shredding.<column>.pin', " +
      "with a column that is inferred: 'v', 's.w', 's.`a.b`'."
    Seq(
      "shredding.pins",
      "shredding.",
      "shredding.x.pin",
      "shredding.id.pin",
      "shredding.l.element.pin",
      "shredding..pin"
    ).foreach { name =>
      assert(refused(name -> "$.a int") === s"Option '$name' is '$$.a int', $known", name)
    }
    assert(
      refused("none", "shredding.pin" -> "$.a int") === "Option 'shredding.pin' is '$.a int', " +
        "expected a Variant column whose schema is inferred, and there is none."
    )
    assert(
      refused("""{"v": "a int"}""", "shredding.v.pin" -> "$.a int").contains("expected one of")
    )
    assert(
      refused("infer", "shredding.s.w.pin" -> "$.a int", "shredding.s.`w`.pin" -> "$.a int")
        .contains("only one of this option and 'shredding.s.")
    )
  }
}
