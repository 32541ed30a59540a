package io.github.variantshredded.variant

import java.util.Arrays

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.variant.VariantConstants._

/**
 * Checks one encoded value and all values in it ("Value encoding", "Object field ID order and
 * uniqueness").
 *
 * These are errors: a value that does not end where it should; a size, count or offset that reaches
 * beyond its container; unknown primitive types; unused header bits that are set; decimals with a
 * scale above 38 or more digits than their type has; times outside of a day; strings that are not
 * UTF-8; field ids that the dictionary does not have; fields that do not strictly ascend by name
 * (by unsigned bytes as the spec has it, or by UTF-16 units as Spark writes); containers nested
 * deeper than allowed.
 *
 * The elements of an array have to follow one another in order and without gaps. The fields of an
 * object may be in any order, and bytes between them may be unused (arrow-rs leaves the old value
 * of a field that is set twice), but fields must not overlap. So every byte is read at most once
 * per level, and the work is in proportion to the size of the value, whatever its offsets claim.
 *
 * `QuickCheck` accepts most well-formed values in one pass; this class checks the others.
 *
 * An instance is reused for many values by one thread. A well-formed value allocates nothing once
 * the instance has seen a value of this depth.
 */
final class VariantValidator {

  private var frames = Array.fill(16)(new VariantValidator.Frame)
  private var depth = 0
  private var depthLimit = DefaultMaxDepth
  private var bytes: Array[Byte] = Array.emptyByteArray
  private var keys: MetadataDictionary = MetadataDictionary.Empty
  private var ranges = new Array[Long](16)
  private val quick = new QuickCheck

  /**
   * Checks that [pos, limit) holds exactly one well-formed value.
   *
   * @param dictionary
   *   the names of its fields
   * @param maxDepth
   *   most containers around a value, the outermost one included
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` with the path of the faulty value
   */
  def check(
      bytes: Array[Byte],
      pos: Int,
      limit: Int,
      dictionary: MetadataDictionary,
      maxDepth: Int = DefaultMaxDepth
  ): Unit = {
    VariantReader.checkRange(bytes, pos, limit)
    if (!quick.accepts(bytes, pos, limit, dictionary, maxDepth)) {
      checkInDepth(bytes, pos, limit, dictionary, maxDepth)
    }
  }

  /** Does what [[check]] does, without `QuickCheck`. */
  private[variant] def checkInDepth(
      bytes: Array[Byte],
      pos: Int,
      limit: Int,
      dictionary: MetadataDictionary,
      maxDepth: Int
  ): Unit = {
    this.bytes = bytes
    keys = dictionary
    depthLimit = maxDepth
    depth = 0
    try {
      val end = checkValue(pos, limit)
      if (end != limit) throw fault(s"${limit - end} bytes follow after the value.")
      while (depth > 0) checkChildren(frames(depth - 1))
    } catch {
      case e: VariantShreddedException if e.location.path.isEmpty =>
        throw VariantReader.malformedAt(e.reason, currentPath)
    }
  }

  // Checks the children of the innermost container until one of them is a container, which becomes
  // the innermost one, or until the last child.
  private def checkChildren(frame: VariantValidator.Frame): Unit = {
    val own = depth
    val count = frame.count
    val data = frame.dataPos
    var child = frame.child + 1
    var start = if (child < count) data + frame.offsetOf(child).toInt else 0
    while (depth == own && child < count) {
      frame.child = child
      val next = data + frame.offsetOf(child + 1).toInt
      val limit = if (frame.isPacked) next else frame.dataEnd
      val end = checkValue(start, limit)
      if (end != limit && !frame.isObject)
        throw fault(s"${limit - end} bytes follow after the element.")
      start = next
      child += 1
    }
    if (depth == own) depth -= 1
  }

  // Checks the value at `pos`, puts it on the stack if it is a container, and returns its end.
  private def checkValue(pos: Int, limit: Int): Int = {
    if (pos >= limit) throw fault("A value has no bytes.")
    val header = bytes(pos) & 0xff
    ValueHeader.basicType(header) match {
      case BasicShortString =>
        val size = 1 + ValueHeader.info(header)
        if (size > limit - pos) throw VariantReader.truncated(size.toLong, limit - pos)
        checkUtf8(pos + 1, pos + size)
        pos + size
      case BasicPrimitive => checkPrimitive(pos, limit, ValueHeader.info(header))
      case _              => enter(pos, limit, header)
    }
  }

  private def checkPrimitive(pos: Int, limit: Int, id: Int): Int = {
    val size = VariantReader.primitiveSize(bytes, pos, limit, id)
    if (size > limit - pos) throw VariantReader.truncated(size, limit - pos)
    val end = pos + size.toInt
    id match {
      case LongString                      => checkUtf8(pos + 5, end)
      case Decimal4 | Decimal8 | Decimal16 => checkDecimal(pos, id)
      case TimeNtzMicros                   =>
        val time = LittleEndian.getLong(bytes, pos + 1)
        if (!VariantNumbers.isTimeOfDay(time))
          throw fault(s"$time microseconds are not a time of day.")
      case _ => ()
    }
    end
  }

  private def checkDecimal(pos: Int, id: Int): Unit = {
    val scale = bytes(pos + 1) & 0xff
    if (scale > VariantNumbers.MaxScale) throw fault(s"A decimal's scale is $scale, more than 38.")
    val fits = id match {
      case Decimal4 => VariantNumbers.fitsDecimal4(LittleEndian.getInt(bytes, pos + 2).toLong)
      case Decimal8 => VariantNumbers.fitsDecimal8(LittleEndian.getLong(bytes, pos + 2))
      case _        =>
        VariantNumbers.fitsDecimal16(
          LittleEndian.getLong(bytes, pos + 10),
          LittleEndian.getLong(bytes, pos + 2)
        )
    }
    if (!fits)
      throw fault(s"The number has more digits than ${VariantReader.kindName(id)} can have.")
  }

  private def checkUtf8(pos: Int, end: Int): Unit = {
    val at = Utf8.firstMalformed(bytes, pos, end)
    if (at >= 0) throw fault(s"The string is not UTF-8 at its byte ${at - pos}.")
  }

  private def enter(pos: Int, limit: Int, header: Int): Int = {
    if (depth >= depthLimit) throw fault(s"Values are nested deeper than $depthLimit levels.")
    if (depth == frames.length) growFrames()
    val isObject = ValueHeader.isObject(header)
    if (ContainerHeader.hasUnusedBits(header))
      throw fault(f"Unused bits of the header 0x$header%02x are set.")
    val frame = frames(depth)
    frame.load(bytes, pos, limit, header)
    frame.child = -1
    frame.isObject = isObject
    if (isObject) checkFieldNames(frame)
    frame.isPacked = hasAscendingOffsets(frame)
    if (!frame.isPacked) {
      if (!isObject) throw fault("The offsets of the elements do not ascend from 0.")
      checkDisjoint(frame)
    }
    depth += 1
    frame.dataEnd
  }

  private def checkFieldNames(frame: VariantValidator.Frame): Unit = {
    val size = keys.size
    val width = frame.idWidth
    var previous = -1
    var byUnits = true
    var byBytes = true
    var i = 0
    while (i < frame.count) {
      val id = LittleEndian.getUnsigned(bytes, frame.idStart + i * width, width)
      if (id >= size)
        throw fault(s"The field id $id is not in the metadata dictionary of $size names.")
      if (i > 0) {
        byUnits = byUnits && keys.compareKnownKeys(previous, id.toInt) < 0
        // Where both orders are the same, the second comparison would have the same result.
        if (keys.hasSingleOrder) byBytes = byUnits
        else byBytes = byBytes && keys.compareUnsigned(previous, id.toInt) < 0
        if (!byUnits && !byBytes)
          throw fault(s"Field $i is not after the field before it by name, or has the same name.")
      }
      previous = id.toInt
      i += 1
    }
  }

  // Whether the offsets strictly ascend, so that each child ends before the next one starts. The
  // first offset of an array has to be 0.
  private def hasAscendingOffsets(frame: VariantValidator.Frame): Boolean = {
    var previous = frame.offsetOf(0)
    var ascending = frame.isObject || previous == 0
    var i = 1
    while (i <= frame.count && ascending) {
      val offset = frame.offsetOf(i)
      ascending = offset > previous
      previous = offset
      i += 1
    }
    ascending
  }

  // Sorts the fields by offset and compares each one's end with the next one's start.
  private def checkDisjoint(frame: VariantValidator.Frame): Unit = {
    if (ranges.length < frame.count) ranges = new Array[Long](frame.count)
    val data = frame.dataEnd - frame.dataPos
    var i = 0
    while (i < frame.count) {
      val offset = frame.offsetOf(i)
      if (offset >= data)
        throw fault(s"The offset $offset of field $i is not within $data bytes of data.")
      ranges(i) = (offset << 32) | i
      i += 1
    }
    Arrays.sort(ranges, 0, frame.count)
    i = 1
    while (i < frame.count) {
      val before = frame.dataPos + (ranges(i - 1) >>> 32).toInt
      val start = frame.dataPos + (ranges(i) >>> 32).toInt
      val size =
        if (start > before) VariantReader.valueSize(bytes, before, frame.dataEnd) else Int.MaxValue
      if (size > start - before)
        throw fault(s"Fields ${ranges(i - 1).toInt} and ${ranges(i).toInt} overlap.")
      i += 1
    }
  }

  private def growFrames(): Unit = {
    val grown = Arrays.copyOf(frames, frames.length * 2)
    var i = frames.length
    while (i < grown.length) {
      grown(i) = new VariantValidator.Frame
      i += 1
    }
    frames = grown
  }

  private def fault(reason: String): VariantShreddedException =
    VariantReader.malformedAt(reason, currentPath)

  private def currentPath: ErrorLocation = {
    // If no child has been checked, the container itself is at fault.
    val path = frames.iterator
      .take(depth)
      .filter(_.child >= 0)
      .foldLeft(new StringBuilder(VariantPath.Root)) { (path, frame) =>
        if (frame.isObject) VariantPath.appendField(path, keys.key(frame.currentId))
        else VariantPath.appendElement(path, frame.child)
      }
    ErrorLocation(path = Some(path.toString))
  }
}

private object VariantValidator {

  /** Holds a container whose children are being checked. */
  private final class Frame extends ContainerCursor {
    var child = -1
    var isObject = false

    /** Whether each child ends at or before the start of the next one in the list. */
    var isPacked = false

    def currentId: Int = LittleEndian.getUnsigned(bytes, idStart + child * idWidth, idWidth).toInt
  }
}
