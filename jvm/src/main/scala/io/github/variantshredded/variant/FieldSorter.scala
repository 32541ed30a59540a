package io.github.variantshredded.variant

import java.util.Arrays

/**
 * Puts the fields of objects in the order of Spark's Variants, which compares names by their UTF-16
 * units. The specification compares them by their UTF-8 bytes. The two orders differ if one name has
 * a character above U+FFFF where another has one from U+E000 to U+FFFF. Spark searches the fields
 * of larger objects in its own order, so it would not find those that are in the other one.
 *
 * One instance serves one thread.
 */
private[variantshredded] final class FieldSorter {
  private val fields = new ObjectCursor
  private val elements = new ArrayCursor

  // Positions of the containers that are still to be looked at.
  private var pending = new Array[Int](16)
  private var count = 0

  /**
   * Returns `bytes` if all objects in a value have their fields in Spark's order; otherwise a copy
   * of [pos, limit) in which they do. Only the lists of ids and offsets change.
   *
   * @param dictionary
   *   the names of the fields; the value must have been validated with it
   */
  def sorted(
      bytes: Array[Byte],
      pos: Int,
      limit: Int,
      dictionary: MetadataDictionary
  ): Array[Byte] = if (dictionary.hasSingleOrder) bytes else search(bytes, pos, limit, dictionary)

  private def search(
      bytes: Array[Byte],
      pos: Int,
      limit: Int,
      dictionary: MetadataDictionary
  ): Array[Byte] = {
    var result = bytes
    count = 0
    push(bytes, pos)
    while (count > 0) {
      count -= 1
      val at = pending(count)
      if (ValueHeader.isObject(bytes(at).toInt)) {
        fields.reset(bytes, at, limit)
        if (!isSorted(dictionary)) {
          if (result eq bytes) result = Arrays.copyOfRange(bytes, pos, limit)
          sort(dictionary, result, pos)
        }
        pushChildren(fields)
      } else pushChildren(elements.reset(bytes, at, limit))
    }
    result
  }

  private def pushChildren(container: ContainerCursor): Unit = {
    var i = 0
    while (i < container.count) {
      push(container.bytes, container.childPos(i))
      i += 1
    }
  }

  private def push(bytes: Array[Byte], pos: Int): Unit = {
    val first = bytes(pos).toInt
    if (ValueHeader.isObject(first) || ValueHeader.isArray(first)) {
      if (count == pending.length) pending = Arrays.copyOf(pending, count * 2)
      pending(count) = pos
      count += 1
    }
  }

  private def isSorted(dictionary: MetadataDictionary): Boolean = {
    var i = 1
    while (
      i < fields.count && dictionary.compareKnownKeys(fields.fieldId(i - 1), fields.fieldId(i)) < 0
    ) i += 1
    i >= fields.count
  }

  /** Writes the lists of `fields` in Spark's order to `out`, which begins at the position `from`. */
  private def sort(dictionary: MetadataDictionary, out: Array[Byte], from: Int): Unit = {
    val order = (0 until fields.count).sortWith { (a, b) =>
      dictionary.compareKnownKeys(fields.fieldId(a), fields.fieldId(b)) < 0
    }
    order.indices.foreach { i =>
      copy(fields.idStart, fields.idWidth, order(i), out, from, i)
      copy(fields.offsetStart, fields.offsetWidth, order(i), out, from, i)
    }
  }

  private def copy(list: Int, width: Int, index: Int, out: Array[Byte], from: Int, to: Int): Unit =
    System.arraycopy(fields.bytes, list + index * width, out, list - from + to * width, width)
}
