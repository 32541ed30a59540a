package io.github.variantshredded.variant

import java.math.BigInteger

/** Checks the ranges of decimals, by their unscaled values ("Decimal table"), and of times. */
private[variantshredded] object VariantNumbers {

  final val MaxPrecision4 = 9
  final val MaxPrecision8 = 18
  final val MaxPrecision16 = 38
  final val MaxScale = 38

  private final val Limit4 = 1000000000L
  private final val Limit8 = 1000000000000000000L
  private final val MicrosPerDay = 86400000000L

  // The two halves of 10^38^.
  private val limit16High = BigInteger.TEN.pow(MaxPrecision16).shiftRight(64).longValue
  private val limit16Low = BigInteger.TEN.pow(MaxPrecision16).longValue

  def fitsDecimal4(unscaled: Long): Boolean = unscaled > -Limit4 && unscaled < Limit4

  def fitsDecimal8(unscaled: Long): Boolean = unscaled > -Limit8 && unscaled < Limit8

  /** Returns whether the 128-bit number has at most 38 digits. */
  def fitsDecimal16(high: Long, low: Long): Boolean = {
    val isNegative = high < 0
    val absoluteLow = if (isNegative) -low else low
    val absoluteHigh = if (isNegative) ~high + (if (low == 0) 1 else 0) else high
    val order = java.lang.Long.compareUnsigned(absoluteHigh, limit16High)
    order < 0 || (order == 0 && java.lang.Long.compareUnsigned(absoluteLow, limit16Low) < 0)
  }

  /** Returns whether the number of microseconds since midnight is less than a day. */
  def isTimeOfDay(micros: Long): Boolean = micros >= 0 && micros < MicrosPerDay
}
