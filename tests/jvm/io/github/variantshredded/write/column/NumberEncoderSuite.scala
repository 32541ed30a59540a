package io.github.variantshredded.write.column

import org.scalatest.funsuite.AnyFunSuite

class NumberEncoderSuite extends AnyFunSuite {

  test("numbers that differ in a few bits only have different slots in the dictionary") {
    val numbers = 0L until 4096L
    Seq[(String, Seq[Long])](
      "integers" -> numbers,
      "negative integers" -> numbers.map(-_),
      "whole doubles" -> numbers.map(n => java.lang.Double.doubleToLongBits(n.toDouble)),
      "doubles with a decimal" -> numbers.map(n => java.lang.Double.doubleToLongBits(n / 10.0)),
      "days in microseconds" -> numbers.map(_ * 86400000000L),
      "multiples of 2^20" -> numbers.map(_ << 20),
      "multiples of 2^32" -> numbers.map(_ << 32),
      "multiples of 2^48" -> numbers.map(_ << 48)
    ).foreach { case (name, values) =>
      // As in a dictionary of so many numbers: half of the slots are taken.
      val slots = values.map(NumberEncoder.hash(_) & 8191).groupBy(identity).values.map(_.size)
      assert(slots.size > 2000 && slots.max < 12, name)
    }
  }
}
