package io.github.variantshredded.variant

import io.github.variantshredded.errors.VariantShreddedException

/**
 * Walks through the children of an object or array. It reads the counts, ids and offsets that
 * precede the children ("Value Data for Object", "Value Data for Array"). A cursor is reused:
 * `reset` allocates nothing.
 */
abstract class ContainerCursor private[variant] () {

  private[variant] var bytes: Array[Byte] = Array.emptyByteArray
  private[variant] var count = 0
  private[variant] var idStart = 0
  private[variant] var idWidth = 0
  private[variant] var offsetStart = 0
  private[variant] var offsetWidth = 1
  private[variant] var dataPos = 0
  private[variant] var dataEnd = 0

  /** Returns the array that holds the container. */
  private[variantshredded] final def source: Array[Byte] = bytes

  /**
   * Returns the position of the first byte after the lists of ids and offsets; child offsets count
   * from it.
   */
  final def dataStart: Int = dataPos

  /**
   * Returns the position after the last byte of the container, at most the `limit` given to
   * `reset`.
   */
  final def end: Int = dataEnd

  /**
   * Returns the position of child `i`, which lies before [[end]]. The child may be malformed: read
   * it with [[end]] as its limit.
   */
  private[variant] final def childPos(i: Int): Int = {
    if (i < 0 || i >= count)
      throw VariantReader.malformed(s"There is no child $i in a container of $count.")
    val offset = offsetOf(i)
    if (offset >= dataEnd - dataPos)
      throw VariantReader.malformed(
        s"The offset $offset of child $i is not within ${dataEnd - dataPos} bytes of data."
      )
    dataPos + offset.toInt
  }

  private[variant] final def offsetOf(i: Int): Long =
    LittleEndian.getUnsigned(bytes, offsetStart + i * offsetWidth, offsetWidth)

  /** Moves to the container at `pos`; the caller has checked the range and read its header. */
  private[variant] final def load(source: Array[Byte], pos: Int, limit: Int, header: Int): Unit = {
    count = 0 // so that no child can be read if this method fails
    val known = ContainerHeader.count(source, pos, limit, header)
    if (known < 0) throw tooLong(source, pos, limit, header)
    bytes = source
    count = known
    idWidth = ContainerHeader.idWidth(header)
    offsetWidth = ContainerHeader.offsetWidth(header)
    idStart = ContainerHeader.listsStart(pos, header)
    offsetStart = idStart + count * idWidth
    dataPos = ContainerHeader.dataStart(offsetStart, count, offsetWidth)
    val data = LittleEndian.getUnsigned(source, dataPos - offsetWidth, offsetWidth)
    if (data > limit - dataPos) throw VariantReader.truncated(dataPos - pos + data, limit - pos)
    dataEnd = dataPos + data.toInt
  }

  private def tooLong(
      source: Array[Byte],
      pos: Int,
      limit: Int,
      header: Int
  ): VariantShreddedException = {
    val available = limit - pos
    val countEnd = 1 + ContainerHeader.countWidth(header)
    if (available < countEnd) VariantReader.truncated(countEnd.toLong, available)
    else {
      val claimed = ContainerHeader.claimedCount(source, pos, header)
      VariantReader.malformed(
        s"A container claims $claimed children; its lists do not fit into $available bytes."
      )
    }
  }

  private[variant] final def loadChecked(
      source: Array[Byte],
      pos: Int,
      limit: Int,
      basicType: Int,
      name: String
  ): Unit = {
    if (VariantReader.basicType(source, pos, limit) != basicType)
      throw VariantReader.unexpected(name, VariantReader.kind(source, pos, limit))
    load(source, pos, limit, source(pos) & 0xff)
  }
}
