package io.github.variantshredded.variant

import io.github.variantshredded.variant.VariantConstants._
import org.scalatest.funsuite.AnyFunSuite

class ValueHeaderSuite extends AnyFunSuite {

  test("each first byte gives its basic type and its six bits, with its sign too") {
    for {
      basicType <- Seq(BasicPrimitive, BasicShortString, BasicObject, BasicArray)
      info <- 0 until 64
      first = ValueHeader.ofContainer(basicType, info)
      given <- Seq(first, first.toByte.toInt)
    } {
      assert(ValueHeader.basicType(given) === basicType)
      assert(ValueHeader.info(given) === info)
      assert(ValueHeader.isObject(given) === (basicType == BasicObject))
      assert(ValueHeader.isArray(given) === (basicType == BasicArray))
    }
  }

  test("first bytes of primitives and of short strings") {
    assert(ValueHeader.ofPrimitive(Null) === 0)
    assert(ValueHeader.ofPrimitive(Uuid) === 0x50)
    assert(ValueHeader.ofShortString(0) === 0x01)
    assert(ValueHeader.ofShortString(MaxShortString) === 0xfd)
  }
}
