package io.github.variantshredded.variant

/**
 * A quick hash of bytes, for tables that are small: whoever makes the bytes can have them collide, for
 * which [[KeyHash]] is.
 */
private[variantshredded] object ByteHash {

  /** Hash of the bytes in [pos, pos + length); the caller has checked the range. */
  def of(bytes: Array[Byte], pos: Int, length: Int): Int = {
    val end = pos + length
    var result = length * Factor
    var i = pos
    while (i <= end - 8) {
      result = (result ^ LittleEndian.getLong(bytes, i)) * Factor
      result ^= result >>> 32
      i += 8
    }
    while (i < end) {
      result = (result ^ (bytes(i) & 0xff)) * Factor
      i += 1
    }
    // The highest bits of a product depend on all bits of the factors. Shifted as in the loop, it would
    // undo the last step there.
    ((result ^ (result >>> 29)) * Factor >>> 32).toInt
  }

  private final val Factor = 0x9e3779b97f4a7c15L
}
