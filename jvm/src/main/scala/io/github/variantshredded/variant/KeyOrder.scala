package io.github.variantshredded.variant

import java.util.Arrays

/**
 * Orders of field names, on their UTF-8 bytes.
 *
 * The spec sorts names by unsigned bytes ("Object field ID order and uniqueness"); Spark sorts them
 * as `java.lang.String` does, by UTF-16 code units. The two differ only between U+E000..U+FFFF and
 * the supplementary characters, which UTF-16 writes with the smaller units D800..DFFF.
 */
object KeyOrder {

  /** Smallest first byte of the characters on which the two orders may differ. */
  private[variant] final val FirstLeadByteOfDifference = 0xee

  /**
   * Compares as `String.compareTo` compares the decoded names; no decoding takes place.
   *
   * Bytes that are not UTF-8 are ordered too, consistently but without a meaning.
   *
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

  /** Compares by unsigned bytes. */
  def compareUnsigned(
      bytesA: Array[Byte],
      offA: Int,
      lenA: Int,
      bytesB: Array[Byte],
      offB: Int,
      lenB: Int
  ): Int =
    Arrays.compareUnsigned(bytesA, offA, offA + lenA, bytesB, offB, offB + lenB)

  // Equal prefixes put both differing bytes at the same place of a character, so it is enough to
  // move the first bytes of supplementary characters (F0 and above) below EE and EF.
  private def utf16Weight(byte: Byte): Int = {
    val unsigned = byte & 0xff
    if (unsigned < FirstLeadByteOfDifference) unsigned
    else if (unsigned >= 0xf0) unsigned - 2
    else unsigned + 16
  }
}
