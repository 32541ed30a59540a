package io.github.variantshredded.variant

import java.util.Arrays

/**
 * Compares field names in two orders, both computed from their UTF-8 bytes.
 *
 * The spec sorts names by unsigned bytes ("Object field ID order and uniqueness"); Spark sorts them
 * as `java.lang.String` does, by UTF-16 code units. The two differ only between U+E000..U+FFFF and
 * the supplementary characters, which UTF-16 writes with the smaller units D800..DFFF.
 */
object KeyOrder {

  /** Smallest first byte of the characters on which the two orders may differ. */
  private[variant] final val FirstLeadByteOfDifference = 0xee

  /**
   * Compares names as `String.compareTo` compares them after decoding, without decoding them.
   *
   * Bytes that are not UTF-8 have a consistent order too, but one without a meaning.
   * @return
   *   negative, 0 or positive
   */
  def compare(
      bytesA: Array[Byte],
      offA: Int,
      lenA: Int,
      bytesB: Array[Byte],
      offB: Int,
      lenB: Int
  ): Int = {
    val at = Arrays.mismatch(bytesA, offA, offA + lenA, bytesB, offB, offB + lenB)
    if (at < 0) 0
    else if (at == lenA || at == lenB) Integer.compare(lenA, lenB)
    else utf16Weight(bytesA(offA + at)) - utf16Weight(bytesB(offB + at))
  }

  /** Compares names by unsigned bytes. */
  def compareUnsigned(
      bytesA: Array[Byte],
      offA: Int,
      lenA: Int,
      bytesB: Array[Byte],
      offB: Int,
      lenB: Int
  ): Int =
    Arrays.compareUnsigned(bytesA, offA, offA + lenA, bytesB, offB, offB + lenB)

  // The prefixes are equal, so both differing bytes have the same position within a character. So
  // it is enough to order the first bytes of supplementary characters (F0 and above) before EE.
  private def utf16Weight(byte: Byte): Int = {
    val unsigned = byte & 0xff
    if (unsigned < FirstLeadByteOfDifference) unsigned
    else if (unsigned >= 0xf0) unsigned - 2
    else unsigned + 16
  }
}
