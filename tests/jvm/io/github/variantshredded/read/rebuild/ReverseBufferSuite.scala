package io.github.variantshredded.read.rebuild

import io.github.variantshredded.errors.VariantShreddedException
import org.scalatest.funsuite.AnyFunSuite

class ReverseBufferSuite extends AnyFunSuite {

  test("the limit holds whatever the buffer's size was") {
    val buffer = new ReverseBuffer
    buffer.claim(72 << 20)
    buffer.claim(50 << 20)
    assert(!buffer.isOverfull)
    intercept[VariantShreddedException](buffer.claim(7 << 20))
    assert(buffer.isOverfull)
  }
}
