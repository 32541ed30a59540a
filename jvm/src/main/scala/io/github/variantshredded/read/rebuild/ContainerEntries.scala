package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.read.rebuild.plan.IdList
import io.github.variantshredded.variant.{ContainerHeader, LittleEndian, VariantConstants}

/**
 * Collects the children of the containers that are being written, and writes their headers. The
 * children of the innermost container come last. Within a container the last child comes first,
 * because values are written backwards.
 */
private[read] final class ContainerEntries(buffer: ReverseBuffer) {
  import ContainerEntries._

  private var ids = new Array[Int](256)
  private var positions = new Array[Int](256)
  private var top = 0

  /** Returns the number of entries of all open containers. */
  def count: Int = top

  def clear(): Unit = top = 0

  /**
   * Adds the child that was written last.
   *
   * @param id
   *   the id of its field name; not used for an element
   */
  def add(id: Int): Unit = {
    if (top == ids.length) grow(top + 1)
    ids(top) = id
    positions(top) = buffer.used
    top += 1
  }

  /**
   * Reserves entries for the fields of an object whose shape is known. Returns the index of the
   * first reserved entry.
   */
  def claim(count: Int): Int = {
    val base = top
    if (base + count > ids.length) grow(base + count)
    top += count
    base
  }

  /** Sets the reserved entry `at` to the child that was written last. */
  def mark(at: Int): Unit = positions(at) = buffer.used

  private def grow(least: Int): Unit = {
    val capacity = math.max(least, ids.length * 2)
    ids = Arrays.copyOf(ids, capacity)
    positions = Arrays.copyOf(positions, capacity)
  }

  /**
   * Writes the header of an object in front of its values, and removes its entries.
   *
   * @param base
   *   number of entries before those of the object
   * @param end
   *   number of bytes in the buffer before its first value was written
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
    val at = open(VariantConstants.BasicObject, size, idSize, offsetSize)
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

  /**
   * Does the same for an object whose ids are known. Its reserved entries have none.
   */
  def closeObject(base: Int, end: Int, ids: IdList): Unit = {
    val dataSize = buffer.used - end
    val offsetSize = LittleEndian.width(dataSize)
    val at = open(VariantConstants.BasicObject, top - base, ids.size, offsetSize)
    System.arraycopy(ids.bytes, 0, buffer.array, at, ids.bytes.length)
    putOffsets(buffer.array, at + ids.bytes.length, base, end + dataSize, dataSize, offsetSize)
    top = base
  }

  /** Writes the header of an array, as [[closeObject]] does for an object. */
  def closeArray(base: Int, end: Int): Unit = {
    val dataSize = buffer.used - end
    val offsetSize = LittleEndian.width(dataSize)
    val at = open(VariantConstants.BasicArray, top - base, 0, offsetSize)
    putOffsets(buffer.array, at, base, end + dataSize, dataSize, offsetSize)
    top = base
  }

  /**
   * Writes the header byte and the count, and reserves the bytes after them for ids and offsets.
   * Returns the index of these bytes in the buffer's array.
   */
  private def open(basicType: Int, size: Int, idSize: Int, offsetSize: Int): Int = {
    buffer.claim(ContainerHeader.size(size, idSize, offsetSize).toInt)
    ContainerHeader.write(buffer.array, buffer.position, basicType, size, idSize, offsetSize)
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
  private def put(out: Array[Byte], at: Int, value: Int, width: Int): Unit =
    if (width == 1) out(at) = value.toByte
    else if (width == 2) LittleEndian.putShort(out, at, value.toShort)
    else LittleEndian.putUnsigned(out, at, value, width)
}
