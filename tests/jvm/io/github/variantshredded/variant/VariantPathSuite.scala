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
}
