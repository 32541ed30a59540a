package io.github.variantshredded.read.pages

import org.scalatest.funsuite.AnyFunSuite

class ByteRangeSuite extends AnyFunSuite {

  test("ranges that overlap or touch become one") {
    val ranges = Seq(ByteRange(10, 20), ByteRange(0, 5), ByteRange(20, 25), ByteRange(12, 13))
    assert(ByteRange.merged(ranges) === Seq(ByteRange(0, 5), ByteRange(10, 25)))
    assert(ByteRange.merged(Seq(ByteRange(3, 3))) === Nil)
  }

  test("what others have is left out") {
    val range = ByteRange(10, 20)
    assert(range.without(Nil) === Seq(range))
    assert(range.without(Seq(ByteRange(0, 10), ByteRange(20, 30))) === Seq(range))
    assert(range.without(Seq(ByteRange(12, 14))) === Seq(ByteRange(10, 12), ByteRange(14, 20)))
    assert(range.without(Seq(ByteRange(5, 12), ByteRange(18, 40))) === Seq(ByteRange(12, 18)))
    assert(range.without(Seq(ByteRange(5, 15), ByteRange(15, 40))) === Nil)
  }
}
