package io.github.variantshredded.read.pages.check

import java.nio.ByteBuffer

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}

/**
 * Checks the delta-encoded numbers of a column's pages, and the byte arrays whose lengths they are.
 *
 * @param fixedLength
 *   the number of bytes of each byte array; -1 if they differ
 * @param prefixesCrossPages
 *   see [[PageCheck]]
 */
private[check] final class DeltaCheck(fixedLength: Int, prefixesCrossPages: Boolean) {
  import DeltaCheck._

  /** The length in bytes of the last value of the previous page in `DELTA_BYTE_ARRAY`. */
  private var lastLength = 0L

  /**
   * Checks delta-encoded numbers, and moves `in` past them.
   *
   * @param count
   *   the number of values of the page, nulls included
   * @return
   *   how many numbers there are
   */
  def numbers(in: ByteBuffer, count: Int): Int = {
    val blockSize = HybridRuns.unsigned(in)
    val miniBlocks = HybridRuns.unsigned(in)
    val total = HybridRuns.unsigned(in)
    val hasNumbers = blockSize > 0 && miniBlocks > 0 && blockSize % (miniBlocks * 8) == 0
    if (!hasNumbers || blockSize > MaxBlockSize || total > count) {
      throw corrupt(
        s"A page of $count values claims $total delta-encoded values in blocks of $blockSize " +
          s"values and $miniBlocks miniblocks."
      )
    }
    skipVarint(in)
    val perMiniBlock = blockSize / miniBlocks
    var left = total - 1
    while (left > 0) {
      skipVarint(in)
      val widths = in.position()
      skip(in, miniBlocks)
      var i = 0
      while (i < miniBlocks && left > 0) {
        skip(in, perMiniBlock * (in.get(widths + i) & 0xff) / 8)
        left -= perMiniBlock
        i += 1
      }
    }
    total.toInt
  }

  /**
   * Limits the memory for the lengths of byte arrays, as [[DeltaLengths]] describes.
   *
   * @param present
   *   the number of values that are not null
   * @param count
   *   the number of values, nulls included
   */
  def limitLengths(present: Int, count: Int): Unit =
    if (prefixesCrossPages || !DeltaLengths.isSparse(present, count)) DeltaLengths.check(count)

  /**
   * Checks for each value in `DELTA_LENGTH_BYTE_ARRAY` that the page has its bytes. Spark's decoder
   * takes minutes to skip bytes that are not there, and goes back by negative lengths.
   *
   * @param lengths
   *   the lengths of the values, checked by [[numbers]]
   * @param values
   *   number of values
   * @param bytes
   *   number of bytes after the lengths
   */
  def sizes(lengths: ByteBuffer, values: Int, bytes: Int): Unit = {
    val lengthNumbers = new DeltaNumbers(lengths)
    var left = bytes.toLong
    var i = 0
    while (i < values) {
      val length = lengthNumbers.next()
      if (length < 0 || length > left) {
        throw corrupt(s"Value $i of a page claims $length bytes, but $left bytes are left.")
      }
      left -= length
      i += 1
    }
  }

  /**
   * Checks for each value in `DELTA_BYTE_ARRAY` that its prefix is not longer than the value
   * before, that the page has the bytes of its suffix, and that it has the length of its type.
   *
   * @param lengths
   *   the lengths of prefixes, checked by [[numbers]]
   * @param suffixLengths
   *   the lengths of suffixes, checked in the same way
   * @param values
   *   number of values
   * @param suffixBytes
   *   number of bytes after the lengths
   */
  def prefixes(
      lengths: ByteBuffer,
      suffixLengths: ByteBuffer,
      values: Int,
      suffixBytes: Int
  ): Unit = {
    val prefixNumbers = new DeltaNumbers(lengths)
    val suffixNumbers = new DeltaNumbers(suffixLengths)
    var before = if (prefixesCrossPages) lastLength else 0L
    var left = suffixBytes.toLong
    var i = 0
    while (i < values) {
      val prefix = prefixNumbers.next()
      val suffix = suffixNumbers.next()
      if (prefix < 0 || prefix > before) {
        throw corrupt(
          s"Value $i of a page claims a prefix of $prefix bytes, but the value before it has " +
            s"$before bytes."
        )
      }
      if (suffix < 0 || suffix > left) {
        throw corrupt(
          s"Value $i of a page claims a suffix of $suffix bytes, but $left bytes are left."
        )
      }
      left -= suffix
      before = prefix + suffix
      if (fixedLength >= 0 && before != fixedLength)
        throw corrupt(
          s"A value has $before bytes, but the column has values of $fixedLength bytes."
        )
      i += 1
    }
    lastLength = before
  }

  private def skip(in: ByteBuffer, bytes: Long): Unit = {
    if (bytes > in.remaining) throw corrupt("A page ends within delta-encoded numbers.")
    in.position(in.position() + bytes.toInt): Unit
  }

  private def skipVarint(in: ByteBuffer): Unit = {
    var more = true
    while (more) {
      if (!in.hasRemaining) throw corrupt("A page ends within a number.")
      more = in.get() < 0
    }
  }

  private def corrupt(reason: String): VariantShreddedException =
    VariantShreddedErrors.corruptFile(reason, ErrorLocation())
}

private object DeltaCheck {

  /** The maximum size of a block. Writers use 128 to some thousand values. */
  private final val MaxBlockSize = 1 << 20
}
