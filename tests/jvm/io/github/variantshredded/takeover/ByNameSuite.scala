package io.github.variantshredded.takeover

import org.scalatest.funsuite.AnyFunSuite

/** Calls of methods that are known by their names only. */
class ByNameSuite extends AnyFunSuite {

  test("a getter of values of several classes") {
    val length = ByName.getter("size")
    val values = Seq[AnyRef](List(1, 2), Vector(1), List(3), Map(1 -> 2))
    assert(values.map(length) === Seq(2, 1, 1, 1))
    val missing = intercept[NoSuchMethodException](length("text"))
    assert(missing.getMessage === "java.lang.String.size")
    val thrown = intercept[NoSuchElementException](ByName.getter("head")(Nil))
    assert(thrown.getMessage === "head of empty list")
  }
}
