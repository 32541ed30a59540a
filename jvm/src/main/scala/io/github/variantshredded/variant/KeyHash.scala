package io.github.variantshredded.variant

import java.security.SecureRandom

/**
 * Hashes field names by SipHash-1-3 with a random key per process, so that nobody can choose names
 * that collide.
 */
private[variant] object KeyHash {

  private val random = new SecureRandom()
  private val key0 = random.nextLong()
  private val key1 = random.nextLong()

  /** Returns the hash of the bytes in [pos, pos + length); the caller has checked the range. */
  def of(bytes: Array[Byte], pos: Int, length: Int): Int = {
    var v0 = key0 ^ 0x736f6d6570736575L
    var v1 = key1 ^ 0x646f72616e646f6dL
    var v2 = key0 ^ 0x6c7967656e657261L
    var v3 = key1 ^ 0x7465646279746573L
    val wordsEnd = pos + (length & ~7)
    var i = pos
    // Words of eight bytes, then the last word, padded and with the length, then three rounds.
    var rounds = (length >>> 3) + 4
    while (rounds > 0) {
      val word =
        if (i < wordsEnd) LittleEndian.getLong(bytes, i)
        else if (rounds == 4) lastWord(bytes, i, pos + length) | (length.toLong << 56)
        else 0L
      if (rounds == 3) v2 ^= 0xff
      v3 ^= word
      v0 += v1
      v2 += v3
      v1 = java.lang.Long.rotateLeft(v1, 13) ^ v0
      v3 = java.lang.Long.rotateLeft(v3, 16) ^ v2
      v0 = java.lang.Long.rotateLeft(v0, 32)
      v2 += v1
      v0 += v3
      v1 = java.lang.Long.rotateLeft(v1, 17) ^ v2
      v3 = java.lang.Long.rotateLeft(v3, 21) ^ v0
      v2 = java.lang.Long.rotateLeft(v2, 32)
      v0 ^= word
      i += 8
      rounds -= 1
    }
    val hash = v0 ^ v1 ^ v2 ^ v3
    (hash ^ (hash >>> 32)).toInt
  }

  private def lastWord(bytes: Array[Byte], from: Int, end: Int): Long = {
    var word = 0L
    var i = end - 1
    while (i >= from) {
      word = (word << 8) | (bytes(i) & 0xff)
      i -= 1
    }
    word
  }
}
