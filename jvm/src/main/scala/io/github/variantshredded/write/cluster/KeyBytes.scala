package io.github.variantshredded.write.cluster

/** Holds the bytes of a key in a growing buffer, which is reused for each row. */
private[cluster] final class KeyBytes {
  private var bytes = new Array[Byte](256)
  private var length = 0

  def clear(): Unit = length = 0

  /** Appends the lowest 8 bits of a number. */
  def add(byte: Int): Unit = {
    if (length == bytes.length) bytes = java.util.Arrays.copyOf(bytes, length * 2)
    bytes(length) = byte.toByte
    length += 1
  }

  /** Appends a number, its highest byte first. */
  def addLong(number: Long): Unit = {
    var shift = 56
    while (shift >= 0) {
      add((number >>> shift).toInt)
      shift -= 8
    }
  }

  def toByteArray: Array[Byte] = java.util.Arrays.copyOf(bytes, length)
}
