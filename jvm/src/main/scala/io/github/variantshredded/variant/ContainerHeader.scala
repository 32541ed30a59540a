package io.github.variantshredded.variant

import io.github.variantshredded.variant.VariantConstants._

/** Writes the header and the count of an object or array, and computes the size of its lists. */
private[variant] object ContainerHeader {

  /** Largest number of children that is stored in one byte. */
  private final val MaxSmallCount = 255

  /** Returns the number of bytes before the children; `idWidth` is 0 for arrays. */
  def size(count: Int, idWidth: Int, offsetWidth: Int): Long =
    1L + countWidth(count) + count.toLong * idWidth + (count + 1L) * offsetWidth

  /** Writes the header and the count, and returns the position after them. */
  def write(
      out: Array[Byte],
      pos: Int,
      basicType: Int,
      count: Int,
      idWidth: Int,
      offsetWidth: Int
  ): Int = {
    val isLarge = if (count > MaxSmallCount) 1 else 0
    val info =
      if (basicType == BasicObject) isLarge << 4 | (idWidth - 1) << 2 | (offsetWidth - 1)
      else isLarge << 2 | (offsetWidth - 1)
    out(pos) = (info << 2 | basicType).toByte
    LittleEndian.putUnsigned(out, pos + 1, count, countWidth(count))
    pos + 1 + countWidth(count)
  }

  private def countWidth(count: Int): Int = if (count > MaxSmallCount) 4 else 1
}
