package io.github.variantshredded.variant

import java.util.Arrays

import io.github.variantshredded.variant.VariantConstants._

/**
 * Recognizes in one pass well-formed values whose children follow one another without gaps, in any
 * order of the fields. All known writers write such values. [[VariantValidator]] has to decide
 * about all other values.
 *
 * One instance serves one thread.
 */
private[variant] final class QuickCheck {
  import QuickCheck._

  private var bytes = Array.emptyByteArray
  private var keys = MetadataDictionary.Empty
  private var base = 0

  // By position from `base`: twice the number of the object that has a child there, plus 1 once a
  // field of it has this offset. No number of an object is used again, so marks are never cleared.
  private var marks = new Array[Long](1024)
  private var objects = 0L

  /** Returns true if [pos, limit), a range within `bytes`, is one well-formed value. */
  def accepts(
      bytes: Array[Byte],
      pos: Int,
      limit: Int,
      dictionary: MetadataDictionary,
      maxDepth: Int
  ): Boolean = limit - pos <= MaxSize && {
    this.bytes = bytes
    keys = dictionary
    base = pos
    if (marks.length < limit - pos) {
      marks = Arrays.copyOf(marks, math.max(limit - pos, math.min(marks.length * 2, MaxSize)))
    }
    scan(pos, limit, math.min(maxDepth, MaxDepth)) == limit
  }

  /** Returns the end of the value at `pos`, or [[Unknown]] if it may be malformed. */
  private def scan(pos: Int, limit: Int, depthLeft: Int): Int =
    if (pos >= limit) Unknown
    else {
      val header = bytes(pos) & 0xff
      ValueHeader.basicType(header) match {
        case BasicShortString =>
          val end = pos + 1 + ValueHeader.info(header)
          if (end <= limit && Utf8.firstMalformed(bytes, pos + 1, end) < 0) end else Unknown
        case BasicPrimitive => scanPrimitive(pos, limit, ValueHeader.info(header))
        case _              => scanContainer(pos, limit, header, depthLeft)
      }
    }

  private def scanContainer(pos: Int, limit: Int, header: Int, depthLeft: Int): Int =
    if (depthLeft <= 0 || ContainerHeader.hasUnusedBits(header)) Unknown
    else if (ValueHeader.isObject(header)) scanObject(pos, limit, header, depthLeft - 1)
    else scanArray(pos, limit, header, depthLeft - 1)

  private def scanPrimitive(pos: Int, limit: Int, id: Int): Int = {
    val size = if (id < FixedSizes.length) FixedSizes(id) else 0
    if (size > 0) {
      if (size > limit - pos) Unknown
      else if (id < Decimal4 || id > Decimal16 && id != TimeNtzMicros) pos + size
      else if (isInRange(pos, id)) pos + size
      else Unknown
    } else if ((id == LongString || id == Binary) && limit - pos >= 5) {
      val length = LittleEndian.getInt(bytes, pos + 1)
      val end = pos + 5 + length
      if (length < 0 || length > limit - pos - 5) Unknown
      else if (id == Binary || Utf8.firstMalformed(bytes, pos + 5, end) < 0) end
      else Unknown
    } else Unknown
  }

  private def isInRange(pos: Int, id: Int): Boolean = id match {
    case TimeNtzMicros => VariantNumbers.isTimeOfDay(LittleEndian.getLong(bytes, pos + 1))
    case _             =>
      (bytes(pos + 1) & 0xff) <= VariantNumbers.MaxScale && (id match {
        case Decimal4 => VariantNumbers.fitsDecimal4(LittleEndian.getInt(bytes, pos + 2).toLong)
        case Decimal8 => VariantNumbers.fitsDecimal8(LittleEndian.getLong(bytes, pos + 2))
        case _        =>
          VariantNumbers.fitsDecimal16(
            LittleEndian.getLong(bytes, pos + 10),
            LittleEndian.getLong(bytes, pos + 2)
          )
      })
  }

  private def scanArray(pos: Int, limit: Int, header: Int, depthLeft: Int): Int = {
    val count = ContainerHeader.count(bytes, pos, limit, header)
    if (count < 0) Unknown
    else {
      val offsetsAt = ContainerHeader.listsStart(pos, header)
      scanElements(offsetsAt, ContainerHeader.offsetWidth(header), count, limit, depthLeft)
    }
  }

  private def scanElements(
      offsetsAt: Int,
      width: Int,
      count: Int,
      limit: Int,
      depthLeft: Int
  ): Int = {
    val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
    val size = LittleEndian.getUnsigned(bytes, dataPos - width, width)
    if (size > limit - dataPos) Unknown
    else {
      val end = dataPos + size.toInt
      var at = dataPos
      var offsetAt = offsetsAt
      val offsetsEnd = dataPos - width
      while (offsetAt < offsetsEnd && at >= 0) {
        at =
          if (LittleEndian.getUnsigned(bytes, offsetAt, width) != at - dataPos) Unknown
          else scan(at, end, depthLeft)
        offsetAt += width
      }
      if (at == end) end else Unknown
    }
  }

  private def scanObject(pos: Int, limit: Int, header: Int, depthLeft: Int): Int = {
    val count = ContainerHeader.count(bytes, pos, limit, header)
    val idsAt = ContainerHeader.listsStart(pos, header)
    val idWidth = ContainerHeader.idWidth(header)
    if (count < 0 || !hasAscendingNames(idsAt, idWidth, count)) Unknown
    else {
      val offsetsAt = idsAt + count * idWidth
      scanFields(offsetsAt, ContainerHeader.offsetWidth(header), count, limit, depthLeft)
    }
  }

  private def hasAscendingNames(idsAt: Int, width: Int, count: Int): Boolean = {
    val ranks = keys.knownRanks
    var previous = -1
    var at = idsAt
    val end = idsAt + count * width
    var ascending = true
    if (ranks == null) {
      while (at < end && ascending) {
        val id = LittleEndian.getUnsigned(bytes, at, width)
        ascending =
          id < keys.size && (previous < 0 || keys.compareKnownKeys(previous, id.toInt) < 0)
        previous = id.toInt
        at += width
      }
    } else {
      while (at < end && ascending) {
        val id = if (width == 1) bytes(at) & 0xffL else LittleEndian.getUnsigned(bytes, at, width)
        val rank = if (id < ranks.length) ranks(id.toInt) else -1
        ascending = rank > previous
        previous = rank
        at += width
      }
    }
    ascending
  }

  private def scanFields(
      offsetsAt: Int,
      width: Int,
      count: Int,
      limit: Int,
      depthLeft: Int
  ): Int = {
    val dataPos = ContainerHeader.dataStart(offsetsAt, count, width)
    val size = LittleEndian.getUnsigned(bytes, dataPos - width, width)
    if (size > limit - dataPos) Unknown
    else {
      objects += 1
      val mark = objects << 1
      val end = dataPos + size.toInt
      var inOrder = true
      var at = dataPos
      var i = 0
      while (i < count && at >= 0 && at < end) {
        marks(at - base) = mark
        inOrder = inOrder &&
          LittleEndian.getUnsigned(bytes, offsetsAt + i * width, width) == at - dataPos
        at = scan(at, end, depthLeft)
        i += 1
      }
      if (i < count || at != end) Unknown
      else if (inOrder || namesAll(offsetsAt, width, count, mark, dataPos, size)) end
      else Unknown
    }
  }

  /** Returns whether the offsets are the positions of all children, each of them once. */
  private def namesAll(
      offsetsAt: Int,
      width: Int,
      count: Int,
      mark: Long,
      dataPos: Int,
      size: Long
  ): Boolean = {
    val first = dataPos - base
    var i = 0
    var all = true
    while (i < count && all) {
      val offset = LittleEndian.getUnsigned(bytes, offsetsAt + i * width, width)
      all = offset < size && marks(first + offset.toInt) == mark
      if (all) marks(first + offset.toInt) = mark | 1
      i += 1
    }
    all
  }
}

private object QuickCheck {
  private final val Unknown = -1

  /** Larger values would take too much memory for marks. */
  private final val MaxSize = 1 << 20

  /** Deeper values would take too much of the stack. */
  private final val MaxDepth = 64

  // Size with the header, by type; 0 if a length follows the header.
  private val FixedSizes: Array[Int] =
    Array(1, 1, 1, 2, 3, 5, 9, 9, 6, 10, 18, 5, 9, 9, 5, 0, 0, 9, 9, 9, 17)
}
