package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.read.pages.ReverseBuffer
import io.github.variantshredded.variant.{LittleEndian, VariantConstants}

/**
 * The children of the containers that are being written, innermost container last. Children are
 * written last first, so that each container's entries lie in descending order.
 */
private[read] final class ContainerEntries(buffer: ReverseBuffer) {
  import ContainerEntries._

  private var ids = new Array[Int](256)
  private var positions = new Array[Int](256)
  private var top = 0

  /** Entries of all open containers. */
  def count: Int = top

  def clear(): Unit = top = 0

  /**
   * Adds the child that was written last.
   *
   * @param id
   *   the id of its name; any for an element
   */
  def add(id: Int): Unit = {
    if (top == ids.length) grow(top + 1)
    ids(top) = id
    positions(top) = buffer.used
    top += 1
  }

  /** Makes room for the children of an object of a known shape; gives the place of the last one. */
  def claim(count: Int): Int = {
    val base = top
    if (base + count > ids.length) grow(base + count)
    top += count
    base
  }

  /** The child that was written last has the place `at`, which was claimed. */
  def place(at: Int): Unit = positions(at) = buffer.used

  private def grow(least: Int): Unit = {
    val capacity = math.max(least, ids.length * 2)
    ids = Arrays.copyOf(ids, capacity)
    positions = Arrays.copyOf(positions, capacity)
  }

  /**
   * Writes what is in front of an object's values and removes its entries.
   *
   * @param base
   *   entries before those of the object
   * @param end
   *   bytes that were in the buffer before its first value
   */
  def closeObject(base: Int, end: Int): Unit = {
    val size = top - base
    val dataSize = buffer.used - end
    var maxId = 0
    var i = base
    while (i < top) {
      maxId = math.max(maxId, ids(i))
      i += 1
    }
    val idSize = LittleEndian.width(maxId)
    val offsetSize = LittleEndian.width(dataSize)
    val at = openObject(size, idSize, offsetSize)
    val out = buffer.array
    var next = at
    i = top - 1
    while (i >= base) {
      put(out, next, ids(i), idSize)
      next += idSize
      i -= 1
    }
    putOffsets(out, next, base, end + dataSize, dataSize, offsetSize)
    top = base
  }

  /** As [[closeObject]], for an object of a known shape: its entries, which were claimed, need no ids. */
  def closeObject(base: Int, end: Int, shape: ObjectShape): Unit = {
    val dataSize = buffer.used - end
    val offsetSize = LittleEndian.width(dataSize)
    val at = openObject(top - base, shape.idSize, offsetSize)
    System.arraycopy(shape.ids, 0, buffer.array, at, shape.ids.length)
    putOffsets(buffer.array, at + shape.ids.length, base, end + dataSize, dataSize, offsetSize)
    top = base
  }

  private def openObject(size: Int, idSize: Int, offsetSize: Int): Int = {
    val isLarge = size > MaxSmallCount
    val header = ((if (isLarge) 1 else 0) << 6) | ((idSize - 1) << 4) | ((offsetSize - 1) << 2) |
      VariantConstants.BasicObject
    open(header, size, isLarge, size * idSize + (size + 1) * offsetSize)
  }

  /** As [[closeObject]], for an array. */
  def closeArray(base: Int, end: Int): Unit = {
    val size = top - base
    val dataSize = buffer.used - end
    val offsetSize = LittleEndian.width(dataSize)
    val isLarge = size > MaxSmallCount
    val header =
      ((if (isLarge) 1 else 0) << 4) | ((offsetSize - 1) << 2) | VariantConstants.BasicArray
    val at = open(header, size, isLarge, (size + 1) * offsetSize)
    putOffsets(buffer.array, at, base, end + dataSize, dataSize, offsetSize)
    top = base
  }

  /** Writes header and count, with room after them for the lists; gives the lists' place. */
  private def open(header: Int, size: Int, isLarge: Boolean, lists: Int): Int = {
    val countSize = if (isLarge) 4 else 1
    buffer.claim(1 + countSize + lists)
    val start = buffer.position
    buffer.array(start) = header.toByte
    put(buffer.array, start + 1, size, countSize)
    start + 1 + countSize
  }

  private def putOffsets(
      out: Array[Byte],
      at: Int,
      base: Int,
      dataStart: Int,
      dataSize: Int,
      width: Int
  ): Unit = {
    var next = at
    var i = top - 1
    while (i >= base) {
      put(out, next, dataStart - positions(i), width)
      next += width
      i -= 1
    }
    put(out, next, dataSize, width)
  }
}

private object ContainerEntries {
  private final val MaxSmallCount = 255

  private def put(out: Array[Byte], at: Int, value: Int, width: Int): Unit =
    if (width == 1) out(at) = value.toByte
    else if (width == 2) LittleEndian.putShort(out, at, value.toShort)
    else LittleEndian.putUnsigned(out, at, value, width)
}
