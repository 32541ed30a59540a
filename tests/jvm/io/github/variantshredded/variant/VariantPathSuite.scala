package io.github.variantshredded.variant

import org.scalatest.funsuite.AnyFunSuite

class VariantPathSuite extends AnyFunSuite {

  private def field(name: String): String = VariantPath.field(VariantPath.Root, name)

  test("plain names stand behind a dot, others in brackets") {
    assert(VariantPath.element(VariantPath.field(field("a"), "b c"), 3) == "$.a['b c'][3]")
    assert(field("_x9") == "$._x9")
    assert(field("typed_value") == "$.typed_value")
    for (name <- Seq("9x", "a.b", "", " ", "\u00e4", "$", "a-b"))
      assert(field(name) == s"$$['$name']")
  }

  test("quotes and control characters are escaped") {
    assert(field("it's") == "$['it\\'s']")
    assert(field("a\\b") == "$['a\\\\b']")
    assert(field("a\nb\u0000") == "$['a\\u000ab\\u0000']")
  }

  test("long names are cut, never within a character") {
    val most = VariantPath.MaxShownName
    assert(field("x" * most) == "$." + "x" * most)
    assert(field("x" * (most + 1)) == "$['" + "x" * most + "...']")
    val emoji = "x" * (most - 1) + "\ud83d\ude00y"
    assert(field(emoji) == "$['" + "x" * (most - 1) + "...']")
  }

  test("paths of positions keep names whole") {
    def field(name: String) = VariantPath.wholeField(VariantPath.Root, name)
    assert(field("_x9") == "$._x9")
    assert(field("b-c") == "$['b-c']")
    assert(field("0") == "$['0']")
    assert(field("it's a \\") === "$['it\\'s a \\\\']")
    assert(field("") === "$['']")
    assert(field("a\nb") == "$['a\nb']")
    val long = "x" * (VariantPath.MaxShownName + 1)
    assert(field(long) == s"$$.$long")
    assert(field(long + "-") == s"$$['$long-']")
  }

  test("paths of options have more names after a dot") {
    def field(name: String) = VariantPath.optionField(VariantPath.Root, name)
    for (name <- Seq("a", "9x", "a-b", "x" * (VariantPath.MaxShownName + 1)))
      assert(field(name) == s"$$.$name")
    for (name <- Seq("", "a b", "a.b", "\u00e4")) assert(field(name) == s"$$['$name']")
    assert(field("it's a \\") == "$['it\\'s a \\\\']")
  }

  test("indexes are put at the elements of a path, and not into names") {
    def at(names: Seq[String], indexes: Int*) =
      VariantPath.withIndexes(
        names.foldLeft(VariantPath.Root)((path, name) =>
          VariantPath.elements(VariantPath.wholeField(path, name))
        ),
        indexes
      )
    assert(at(Seq("a", "b"), 3, 4) === "$.a[3].b[4]")
    assert(at(Seq("a", "b"), 3) === "$.a[3].b[*]")
    assert(at(Seq("[*]"), 3) === "$['[*]'][3]")
    assert(
      at(Seq("it's [*]", "\\", "'[*]\\"), 1, 2, 3) ===
        "$['it\\'s [*]'][1]['\\\\'][2]['\\'[*]\\\\'][3]"
    )
  }
}
