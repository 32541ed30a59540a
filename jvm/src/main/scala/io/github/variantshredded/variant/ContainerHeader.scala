package io.github.variantshredded.variant

import io.github.variantshredded.variant.VariantConstants._

/**
 * Reads and writes the header of an object or array ("Value Data for Object", "Value Data for
 * Array"): the widths that its first byte gives, the count, and the lists of ids and offsets that
 * follow the count. The methods allocate nothing.
 *
 * ```
 *           7  6  5  4  3  2  1  0
 *  object   -  L  id-1  off-1  1  0      L: the count has 4 bytes, not 1
 *  array    -  -  -  L  off-1  1  1
 * ```
 */
private[variantshredded] object ContainerHeader {

  /** Largest number of children that is stored in one byte. */
  private final val MaxSmallCount = 255

  /** Returns the number of bytes of the count; `first` is the first byte of the container. */
  def countWidth(first: Int): Int =
    if ((first & (if (ValueHeader.isObject(first)) 0x40 else 0x10)) != 0) 4 else 1

  /** Returns the number of bytes of an id; 0 for an array. */
  def idWidth(first: Int): Int =
    if (ValueHeader.isObject(first)) ((first >>> 4) & 3) + 1 else 0

  /** Returns the number of bytes of an offset. */
  def offsetWidth(first: Int): Int = ((first >>> 2) & 3) + 1

  /** Returns whether bits of the first byte are set that the specification does not use. */
  def hasUnusedBits(first: Int): Boolean =
    (first & (if (ValueHeader.isObject(first)) 0x80 else 0xe0)) != 0

  /**
   * Returns the number of children of the container at `pos`, or -1 if the count or the lists of ids
   * and offsets end after `limit`.
   *
   * @param first
   *   the first byte of the container
   */
  def count(bytes: Array[Byte], pos: Int, limit: Int, first: Int): Int =
    if (limit - pos < 1 + countWidth(first)) -1
    else {
      val claimed = claimedCount(bytes, pos, first)
      if (claimedSize(first, claimed) > limit - pos) -1 else claimed.toInt
    }

  /** Returns the count of the container at `pos`, whose bytes the caller has checked. */
  def claimedCount(bytes: Array[Byte], pos: Int, first: Int): Long =
    LittleEndian.getUnsigned(bytes, pos + 1, countWidth(first))

  /** Returns the number of bytes before the children of a container with this count. */
  def claimedSize(first: Int, count: Long): Long =
    1L + countWidth(first) + listsSize(count, idWidth(first), offsetWidth(first))

  /** Returns where the ids of the object at `pos` start, or the offsets of the array. */
  def listsStart(pos: Int, first: Int): Int = pos + 1 + countWidth(first)

  /** Returns where the children start. The position of the last offset tells where they end. */
  def dataStart(offsetsAt: Int, count: Int, offsetWidth: Int): Int =
    offsetsAt + (count + 1) * offsetWidth

  /** Returns the number of bytes of the ids and offsets; `idWidth` is 0 for arrays. */
  private def listsSize(count: Long, idWidth: Int, offsetWidth: Int): Long =
    count * idWidth + (count + 1L) * offsetWidth

  /** Returns the number of bytes before the children of a container that is to be written. */
  def size(count: Int, idWidth: Int, offsetWidth: Int): Long =
    1L + neededCountWidth(count) + listsSize(count.toLong, idWidth, offsetWidth)

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
    out(pos) = ValueHeader.ofContainer(basicType, info).toByte
    LittleEndian.putUnsigned(out, pos + 1, count, neededCountWidth(count))
    pos + 1 + neededCountWidth(count)
  }

  private def neededCountWidth(count: Int): Int = if (count > MaxSmallCount) 4 else 1
}
