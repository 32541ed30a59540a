package io.github.variantshredded.shredding

/** Estimates the number of distinct names by linear counting, whatever their order. */
private[shredding] final class DistinctNames(expected: Int) {

  private val bits = new Array[Long](math.max(1, Integer.highestOneBit(expected * 8 - 1) / 64))

  def add(bytes: Array[Byte], pos: Int, length: Int): Unit = {
    var hash = 0xcbf29ce484222325L
    var i = 0
    while (i < length) {
      hash = (hash ^ (bytes(pos + i) & 0xff)) * 0x100000001b3L
      i += 1
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL
    hash ^= hash >>> 33
    bits((hash >>> 6).toInt & (bits.length - 1)) |= 1L << (hash & 63)
  }

  def estimate: Double = {
    val size = bits.length * 64.0
    val free = size - bits.iterator.map(word => java.lang.Long.bitCount(word)).sum
    -size * math.log(math.max(free, 0.5) / size)
  }
}
