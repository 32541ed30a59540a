package io.github.variantshredded.variant

/**
 * Hashes bytes fast, for small tables. It gives no protection against bytes that are chosen to
 * collide; [[KeyHash]] does.
 */
private[variantshredded] object ByteHash {

  /** Returns the hash of the bytes in [pos, pos + length). The caller has checked the range. */
  def of(bytes: Array[Byte], pos: Int, length: Int): Int = {
    val start = length * Factor
    val result =
      if (length >= LongFrom) mixLong(start, bytes, pos, length)
      else if (length >= 8) mixWords(start, bytes, pos, pos + length - 8)
      else mix(start, shortWord(bytes, pos, length))
    // The highest bits of a product depend on all bits of the factors. Shifted as in `mix`, it
    // would undo the last step there.
    ((result ^ (result >>> 29)) * Factor >>> 32).toInt
  }

  // Hashes four words at a time, because a step of one hash has to wait for the step before it.
  private def mixLong(start: Long, bytes: Array[Byte], pos: Int, length: Int): Long = {
    val last = pos + length - 8
    var a = start
    var b = start
    var c = start
    var d = start
    var i = pos
    while (i <= last - 24) {
      a = mix(a, LittleEndian.getLong(bytes, i))
      b = mix(b, LittleEndian.getLong(bytes, i + 8))
      c = mix(c, LittleEndian.getLong(bytes, i + 16))
      d = mix(d, LittleEndian.getLong(bytes, i + 24))
      i += 32
    }
    mixWords(mix(mix(mix(a, b), c), d), bytes, i, last)
  }

  // The last word may overlap the word before it.
  private def mixWords(start: Long, bytes: Array[Byte], pos: Int, last: Int): Long = {
    var result = start
    var i = pos
    while (i < last) {
      result = mix(result, LittleEndian.getLong(bytes, i))
      i += 8
    }
    mix(result, LittleEndian.getLong(bytes, last))
  }

  /** Returns a word that depends on all of fewer than eight bytes. */
  private def shortWord(bytes: Array[Byte], pos: Int, length: Int): Long =
    if (length >= 4) {
      val low = LittleEndian.getInt(bytes, pos) & 0xffffffffL
      low | LittleEndian.getInt(bytes, pos + length - 4).toLong << 32
    } else if (length > 0) {
      (bytes(pos) & 0xffL) | (bytes(pos + length / 2) & 0xffL) << 8 |
        (bytes(pos + length - 1) & 0xffL) << 16
    } else 0L

  private def mix(hash: Long, word: Long): Long = {
    val mixed = (hash ^ word) * Factor
    mixed ^ (mixed >>> 32)
  }

  private final val Factor = 0x9e3779b97f4a7c15L

  /** Number of bytes from which hashing four words at a time is faster. */
  private final val LongFrom = 64
}
