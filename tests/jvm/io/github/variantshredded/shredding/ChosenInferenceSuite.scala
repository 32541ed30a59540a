package io.github.variantshredded.shredding

import java.math.BigInteger

import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import org.scalatest.funsuite.AnyFunSuite

/** Inference with something wanted of it: by a user, or by the files that are there. */
class ChosenInferenceSuite extends AnyFunSuite {

  private def infer(
      trees: Seq[VariantTree],
      choice: InferenceChoice,
      limits: InferenceLimits = InferenceLimits()
  ): String = ShreddingText.render(InferredSchema.of(trees.map(VariantTree.encode), limits, choice))

  private def wanting(fields: (String, PathChoice)*): InferenceChoice =
    InferenceChoice(PathChoice(fields = fields.toMap))

  private def current(schema: String): InferenceChoice =
    InferenceChoice(current = Some(ShreddingText.parse(schema)))

  private val include = PathChoice(PathVerdict.Include)
  private val exclude = PathChoice(PathVerdict.Exclude)
  private def pin(schema: String) = PathChoice(PathVerdict.Pin(ShreddingText.parse(schema)))

  private def num(value: Long): VariantTree = Int64(value)

  /** So many rows of 100 with a field, beside one that is in all. */
  private def rows(share: Int, field: VariantTree, name: String = "f"): Seq[VariantTree] =
    (0 until 100).map { i =>
      if (i < share) obj("a" -> num(1), name -> field) else obj("a" -> num(1))
    }

  test("included paths have columns, however rare and mixed they are") {
    assert(infer(rows(1, num(1)), wanting("f" -> include)) === "a bigint, f bigint")
    assert(infer(rows(0, num(1)), wanting("f" -> include)) === "a bigint, f variant")
    assert(infer(rows(1, Null), wanting("f" -> include)) === "a bigint, f variant")
    val within = wanting("f" -> PathChoice(fields = Map("g" -> include)))
    assert(infer(rows(1, obj("g" -> Str("x"))), within) === "a bigint, f struct<g string>")
    assert(infer(rows(1, num(1)), within) === "a bigint, f struct<g variant>")
    val element = wanting("f" -> PathChoice(element = Some(include)))
    assert(infer(rows(1, arr(num(1))), element) === "a bigint, f array<bigint>")
    assert(infer(rows(0, num(1)), element) === "a bigint, f array<variant>")
    // Of an object, the fields by the rules.
    assert(
      infer(rows(5, obj("g" -> num(1))), wanting("f" -> include)) === "a bigint, f variant"
    )
    assert(
      infer(
        rows(20, obj("g" -> num(1))),
        wanting("f" -> include)
      ) === "a bigint, f struct<g bigint>"
    )
  }

  test("included paths take from the budget before all others") {
    val limits = InferenceLimits(columns = 2)
    assert(infer(rows(1, num(1)), InferenceChoice.Free, limits) === "a bigint")
    assert(infer(rows(1, num(1)), wanting("f" -> include), limits) === "f bigint")
    assert(
      infer(rows(20, obj("g" -> num(1))), wanting("f" -> include), limits.copy(columns = 1)) ===
        "f variant"
    )
    assert(infer(rows(1, num(1)), wanting("f" -> include), limits.copy(columns = 1)) === "variant")
  }

  test("included keys of maps and among many names are counted") {
    val map = (0 until 500).map(i => Obj(Vector(s"k$i" -> obj("n" -> num(1)))))
    val choice = wanting("k7" -> PathChoice(fields = Map("n" -> include)))
    assert(infer(map, choice) === "k7 struct<n bigint>")
    assert(infer(map, choice, InferenceLimits(paths = 20)) === "k7 struct<n bigint>")
  }

  test("names that only the choice has do not make an object a map") {
    val rows = (0 until 100).map { i =>
      Obj(Vector.tabulate(60)(j => s"k$j" -> num(1)).zipWithIndex.collect {
        case (field, j) if (i + j) % 5 == 0 => field
      })
    }
    val free = infer(rows, InferenceChoice.Free)
    assert(free.count(_ == ',') === 59)
    val unused = (0 until 300).map(i => s"x$i")
    assert(infer(rows, wanting(unused.map(_ -> exclude): _*)) === free)
    val before = unused.map(name => s"$name bigint").mkString("struct<", ", ", ">")
    assert(infer(rows, current(before.stripPrefix("struct<").stripSuffix(">"))) === free)
  }

  test("a decimal column is kept if the type holds enough of the values") {
    def decimals(long: Int) = Seq.tabulate(100) { i =>
      obj("d" -> (if (i < long) Decimal16(BigInteger.TEN.pow(19), 2) else Decimal4(125, 2)))
    }
    assert(infer(decimals(1), current("d decimal(9,2)")) === "d decimal(9,2)")
    assert(infer(decimals(30), current("d decimal(9,2)")) === "d decimal(38,2)")
  }

  test("excluded paths stay where they are, with all that they hold") {
    val row = obj("a" -> num(1), "o" -> obj("x" -> num(1), "y" -> num(1)), "l" -> arr(num(1)))
    def without(choice: InferenceChoice) = infer(Seq(row), choice)
    assert(
      without(InferenceChoice.Free) === "a bigint, l array<bigint>, o struct<x bigint, y bigint>"
    )
    assert(without(wanting("o" -> exclude)) === "a bigint, l array<bigint>")
    assert(
      without(wanting("o" -> PathChoice(fields = Map("x" -> exclude)))) ===
        "a bigint, l array<bigint>, o struct<y bigint>"
    )
    assert(
      without(wanting("l" -> PathChoice(element = Some(exclude)))) ===
        "a bigint, l variant, o struct<x bigint, y bigint>"
    )
    assert(without(InferenceChoice(exclude)) === "variant")
  }

  test("pinned paths are as they are pinned, whatever the data and the budget") {
    val choice = wanting("f" -> pin("int"), "a" -> pin("array<string>"))
    assert(infer(rows(50, Str("x")), choice) === "a array<string>, f int")
    assert(infer(Nil, choice) === "a array<string>, f int")
    assert(
      infer(rows(50, num(1)), choice, InferenceLimits(columns = 0)) === "a array<string>, f int"
    )
    val deep = wanting(
      "x" -> PathChoice(element = Some(PathChoice(fields = Map("y" -> pin("timestamp")))))
    )
    assert(infer(rows(0, Null), deep) === "a bigint, x array<struct<y timestamp>>")
    assert(
      infer(rows(60, arr(obj("z" -> num(1))), "x"), deep) ===
        "a bigint, x array<struct<y timestamp, z bigint>>"
    )
    assert(infer(Nil, InferenceChoice(pin("string"))) === "string")
    // What is pinned counts.
    assert(
      infer(rows(50, num(1)), wanting("f" -> pin("int")), InferenceLimits(columns = 3)) === "f int"
    )
  }

  test("the current schema stays as long as it fits") {
    val schema = "a bigint, f string, o struct<x bigint>"
    def row(i: Int) = obj(
      "a" -> num(i.toLong),
      "f" -> (if (i % 20 == 0) Str("x") else Null),
      "o" -> obj("x" -> num(1))
    )
    val data = (0 until 100).map(row)
    assert(infer(data, InferenceChoice.Free) === "a bigint, o struct<x bigint>")
    assert(infer(data, current(schema)) === schema)
    // Types that inference would not choose.
    assert(
      infer(rows(0, Null).map(_ => obj("a" -> Int8(1))), current("a tinyint")) === "a tinyint"
    )
    assert(infer(rows(0, Null), current("a tinyint")) === "a bigint")
    assert(infer(Seq(obj("a" -> Decimal4(5, 2))), current("a decimal(9,2)")) === "a decimal(9,2)")
    assert(
      infer(
        Seq(obj("a" -> Decimal4(123456789, 2))),
        current("a decimal(4,2)")
      ) === "a decimal(18,2)"
    )
  }

  test("without rows the current schema stays as it is") {
    assert(infer(Nil, current("a bigint, b uuid")) === "a bigint, b uuid")
    assert(infer(Nil, InferenceChoice.Free) === "variant")
  }

  test("without rows the current schema gets what is requested") {
    def requested(schema: String, fields: (String, PathChoice)*) =
      infer(Nil, current(schema).copy(wanted = PathChoice(fields = fields.toMap)))
    assert(
      requested("a bigint, b uuid", "c" -> pin("double"), "b" -> exclude) === "a bigint, c double"
    )
    assert(requested("a bigint", "a" -> exclude) === "variant")
    assert(
      requested(
        "a bigint",
        "a" -> PathChoice(fields = Map("x" -> include))
      ) === "a struct<x variant>"
    )
    val inside = PathChoice(fields = Map("x" -> pin("date")))
    assert(
      requested("l array<struct<y int>>", "l" -> PathChoice(element = Some(inside))) ===
        "l array<struct<x date, y int>>"
    )
  }

  test("drift of presence: a field goes when it is in less than half the least share of rows") {
    assert(infer(rows(5, num(1)), current("a bigint, f bigint")) === "a bigint, f bigint")
    assert(infer(rows(4, num(1)), current("a bigint, f bigint")) === "a bigint")
    assert(infer(rows(0, num(1)), current("a bigint, f bigint")) === "a bigint")
    assert(
      infer(rows(4, obj("x" -> num(1))), current("a bigint, f struct<x bigint>")) === "a bigint"
    )
  }

  test("drift of type: a field whose type has less than its share is inferred anew") {
    def mixed(strings: Int) = (0 until 100).map { i =>
      obj("a" -> (if (i < strings) Str("x") else num(1)), "b" -> num(1))
    }
    val both = current("a bigint, b int")
    assert(infer(mixed(10), both) === "a bigint, b bigint")
    assert(infer(mixed(11), both) === "a variant, b bigint")
    assert(infer(mixed(90), both) === "a string, b bigint")
    def objects(share: Int) = (0 until 100).map { i =>
      obj("a" -> (if (i < share) obj("x" -> num(1)) else Str("x")))
    }
    assert(infer(objects(80), current("a struct<x int>")) === "a struct<x bigint>")
    assert(infer(objects(79), current("a struct<x bigint>")) === "a variant")
    assert(infer(objects(0), current("a struct<x bigint>")) === "a string")
    assert(infer(objects(100), current("a string")) === "a struct<x bigint>")
    assert(infer(objects(100), current("a variant")) === "a struct<x bigint>")
    assert(infer(objects(79), current("a variant")) === "a variant")
    assert(infer(Seq(obj("a" -> arr())), current("a array<string>")) === "a array<string>")
    assert(infer(Seq(obj("a" -> arr(num(1)))), current("a array<string>")) === "a array<bigint>")
  }

  test("new fields come by the usual rules, after those that are there") {
    assert(infer(rows(10, num(1)), current("a bigint")) === "a bigint, f bigint")
    assert(infer(rows(9, num(1)), current("a bigint")) === "a bigint")
    val limits = InferenceLimits(columns = 2)
    val heavier = rows(100, Str("x" * 50))
    assert(infer(heavier, InferenceChoice.Free, limits) === "f string")
    assert(infer(heavier, current("a bigint"), limits) === "a bigint")
  }

  test("what a user wants goes before what is there") {
    val data = rows(50, num(1))
    assert(
      infer(
        data,
        InferenceChoice(PathChoice(fields = Map("f" -> exclude)), current("f int").current)
      ) ===
        "a bigint"
    )
    assert(
      infer(
        data,
        InferenceChoice(PathChoice(fields = Map("f" -> pin("string"))), current("f int").current)
      ) === "a bigint, f string"
    )
  }

  test("the current schema of many rare fields is counted exactly") {
    val names = (0 until 50).map(i => s"rare$i")
    val data = (0 until 1000).map { i =>
      Obj(
        Vector(s"k$i" -> num(1)) ++
          (if (i % 20 < 1) names.map(_ -> num(1)) else Nil)
      )
    }
    val schema = names.sorted.map(name => s"$name bigint").mkString(", ")
    val limits = InferenceLimits(paths = 60, mapKeys = 4096)
    assert(infer(data, current(schema), limits) === schema)
    assert(infer(data, current(schema), limits.copy(paths = 16384)) === schema)
    assert(infer(data.reverse, current(schema), limits) === schema)
  }
}
