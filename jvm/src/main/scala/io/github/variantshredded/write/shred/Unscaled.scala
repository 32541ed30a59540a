package io.github.variantshredded.write.shred

import java.math.BigInteger

/** Computes with unscaled values of decimals, which are 128 bits in two halves. */
private[write] object Unscaled {

  private val powers: Array[BigInteger] = Array.tabulate(39)(BigInteger.TEN.pow)
  private val highPowers: Array[Long] = powers.map(_.shiftRight(64).longValue)
  private val lowPowers: Array[Long] = powers.map(_.longValue)

  /** Returns whether the number has at most `precision` digits, 1 to 38. */
  def fits(high: Long, low: Long, precision: Int): Boolean = {
    val negative = high < 0
    val absoluteLow = if (negative) -low else low
    val absoluteHigh = if (negative) ~high + (if (low == 0) 1 else 0) else high
    val order = java.lang.Long.compareUnsigned(absoluteHigh, highPowers(precision))
    order < 0 ||
    (order == 0 && java.lang.Long.compareUnsigned(absoluteLow, lowPowers(precision)) < 0)
  }

  /** Returns the number of digits, 1 to 39. */
  def digits(high: Long, low: Long): Int = {
    var precision = 1
    while (precision < 39 && !fits(high, low, precision)) precision += 1
    precision
  }

  /** Writes the number, which has to fit, to all of `out`, which has 9 to 16 bytes. */
  def putBigEndian(high: Long, low: Long, out: Array[Byte]): Unit = {
    var i = out.length - 1
    var shift = 0
    while (i >= 0) {
      out(i) = (if (shift < 64) low >>> shift else high >>> (shift - 64)).toByte
      shift += 8
      i -= 1
    }
  }
}
