package io.github.variantshredded.read.position

import org.scalatest.funsuite.AnyFunSuite

class CheckedValuesSuite extends AnyFunSuite {

  test("a value is validated once in a batch, however many readers it has") {
    val checked = new CheckedValues
    checked.addReader()
    checked.addReader()
    checked.add(7)
    assert(checked.has(7) && !checked.has(6))
    checked.startBatch()
    assert(!checked.has(7))
  }

  test("nothing is recorded for a single reader") {
    val checked = new CheckedValues
    checked.addReader()
    checked.add(7)
    assert(!checked.has(7))
  }
}
