package io.github.variantshredded.read.rebuild.plan

import io.github.variantshredded.variant.LittleEndian

/**
 * Holds the ids of the fields of an object as its header lists them.
 *
 * @param bytes
 *   the dictionary ids in ascending order of names, little-endian
 * @param size
 *   number of bytes of each id
 */
private[read] final class IdList(val bytes: Array[Byte], val size: Int)

private[read] object IdList {

  /** Creates the list of ids that are given in descending order of names. */
  def reversed(ids: Array[Int]): IdList = {
    var greatest = 0
    var i = 0
    while (i < ids.length) {
      greatest = math.max(greatest, ids(i))
      i += 1
    }
    val size = LittleEndian.width(greatest)
    val bytes = new Array[Byte](ids.length * size)
    i = 0
    while (i < ids.length) {
      LittleEndian.putUnsigned(bytes, (ids.length - 1 - i) * size, ids(i), size)
      i += 1
    }
    new IdList(bytes, size)
  }
}
