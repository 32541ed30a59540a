package io.github.variantshredded.variant

/**
 * Checks that bytes are well-formed UTF-8 as Unicode defines it: no overlong forms, no surrogates,
 * nothing above U+10FFFF.
 */
private[variantshredded] object Utf8 {

  private final val HighBits = 0x8080808080808080L

  /**
   * Returns the position of the first byte of the first ill-formed sequence in [pos, end), or -1.
   *
   * The caller has compared the range with the array's length.
   */
  def firstMalformed(bytes: Array[Byte], pos: Int, end: Int): Int = {
    val start = skipAscii(bytes, pos, end)
    if (start == end) -1 else firstMalformedSlow(bytes, start, end)
  }

  /** Returns the position of the first byte in [pos, end) that is not ASCII, or `end`. */
  def skipAscii(bytes: Array[Byte], pos: Int, end: Int): Int = {
    var i = pos
    while (i <= end - 32 && areAscii(bytes, i)) i += 32
    while (i <= end - 8 && (LittleEndian.getLong(bytes, i) & HighBits) == 0L) i += 8
    // The last word may go beyond the range, but not beyond the array.
    if (i <= bytes.length - 8) math.min(end, i + asciiBytes(bytes, i))
    else {
      while (i < end && bytes(i) >= 0) i += 1
      i
    }
  }

  // Whether 32 bytes are ASCII. One test of them all is faster than four.
  private def areAscii(bytes: Array[Byte], pos: Int): Boolean = {
    val bits = LittleEndian.getLong(bytes, pos) | LittleEndian.getLong(bytes, pos + 8) |
      LittleEndian.getLong(bytes, pos + 16) | LittleEndian.getLong(bytes, pos + 24)
    (bits & HighBits) == 0L
  }

  // Number of ASCII bytes before the first other byte, among eight bytes.
  private def asciiBytes(bytes: Array[Byte], pos: Int): Int =
    java.lang.Long.numberOfTrailingZeros(LittleEndian.getLong(bytes, pos) & HighBits) >>> 3

  private def firstMalformedSlow(bytes: Array[Byte], pos: Int, end: Int): Int = {
    var i = pos
    var malformed = -1
    while (i < end && malformed < 0) {
      val length = sequenceLength(bytes, i, end)
      if (length == 0) malformed = i
      else if (length == 1) i = skipAscii(bytes, i + 1, end)
      else i += length
    }
    malformed
  }

  // Length of the well-formed sequence at `i`, or 0 if it is ill-formed. The bounds of the second
  // byte are those of the table "Well-Formed UTF-8 Byte Sequences" of the Unicode standard.
  private def sequenceLength(bytes: Array[Byte], i: Int, end: Int): Int = {
    val lead = bytes(i) & 0xff
    if (lead < 0x80) 1
    else if (lead < 0xc2) 0
    else if (lead < 0xe0) {
      if (end - i >= 2 && isTail(bytes(i + 1))) 2 else 0
    } else if (lead < 0xf0) {
      val low = if (lead == 0xe0) 0xa0 else 0x80
      val high = if (lead == 0xed) 0x9f else 0xbf
      if (end - i >= 3 && isWithin(bytes(i + 1), low, high) && isTail(bytes(i + 2))) 3 else 0
    } else if (lead < 0xf5) {
      val low = if (lead == 0xf0) 0x90 else 0x80
      val high = if (lead == 0xf4) 0x8f else 0xbf
      val wellFormed = end - i >= 4 && isWithin(bytes(i + 1), low, high) &&
        isTail(bytes(i + 2)) && isTail(bytes(i + 3))
      if (wellFormed) 4 else 0
    } else 0
  }

  private def isTail(byte: Byte): Boolean = (byte & 0xc0) == 0x80

  private def isWithin(byte: Byte, low: Int, high: Int): Boolean = {
    val unsigned = byte & 0xff
    unsigned >= low && unsigned <= high
  }
}
