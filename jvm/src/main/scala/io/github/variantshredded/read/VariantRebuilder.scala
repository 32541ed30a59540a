package io.github.variantshredded.read

import java.util.Arrays

import io.github.variantshredded.{ErrorLocation, VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.variant._
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/**
 * Rebuilds Variants from the columns of one batch (VariantShredding, "Reconstructing a Shredded
 * Variant").
 *
 * Written backwards into one buffer, see [[ReverseBuffer]]; nothing is allocated per value but the
 * result. One instance serves one column of one file, in one thread.
 *
 * @param maxDepth
 *   deepest nesting of a value that is accepted
 */
private[read] final class VariantRebuilder(
    root: PositionVectors,
    strict: Boolean,
    maxDepth: Int,
    metrics: ReadMetrics
) {
  import VariantRebuilder._

  private val buffer = new ReverseBuffer
  private val slice = new BinarySlice
  private val validator = new VariantValidator
  private var plan: MetadataPlan = _

  // Fields and elements of the containers that are open, innermost last. Children are written last
  // first, so each container's entries lie in descending order.
  private var ids = new Array[Int](256)
  private var positions = new Array[Int](256)
  private var top = 0

  // Where in the arrays the position being written is, for errors.
  private val arrayIndexes = new Array[Int](maxDepth + 2)
  private var arrayDepth = 0

  // Fields of partially shredded objects' residuals that are open.
  private var residualIds = new Array[Int](64)
  private var residualStarts = new Array[Int](64)
  private var residualEnds = new Array[Int](64)
  private var residualTop = 0
  private val cursor = new ObjectCursor

  /** The Variant `value` of `slot`, in bytes of its own. */
  def rebuild(plan: MetadataPlan, slot: Int): Array[Byte] = {
    this.plan = plan
    arrayDepth = 0
    if (hasValue(root, slot) && !hasTypedValue(root, slot)) {
      // All of it is untyped: passed on as it is.
      readAlone(root, slot, 0)
      Arrays.copyOfRange(slice.bytes, slice.start, slice.end)
    } else {
      buffer.clear()
      top = 0
      residualTop = 0
      metrics.variantsRebuilt += 1
      if (!write(root, slot, 0)) {
        // A required Variant that is missing is a Variant null.
        buffer.putByte(VariantConstants.Null)
      }
      buffer.toArray
    }
  }

  private def hasValue(node: PositionVectors, slot: Int): Boolean =
    node.value != null && !node.value.isNullAt(slot)

  private def hasTypedValue(node: PositionVectors, slot: Int): Boolean = node.typed match {
    case primitive: PrimitiveVectors => primitive.live && !primitive.vector.isNullAt(slot)
    case list: ListVectors           => !list.list.isNullAt(slot)
    case obj: ObjectVectors          => obj.isPresent(slot)
    case null                        => false
  }

  /** Writes the value of a position; false if it is missing. */
  private def write(node: PositionVectors, slot: Int, depth: Int): Boolean = {
    val untyped = hasValue(node, slot)
    if (hasTypedValue(node, slot)) {
      node.typed match {
        case primitive: PrimitiveVectors =>
          if (untyped) conflict(node, "a primitive")
          writePrimitive(node, primitive, slot)
        case list: ListVectors =>
          if (untyped) conflict(node, "an array")
          writeArray(node, list, slot, depth)
        case obj: ObjectVectors => writeObject(node, obj, slot, untyped, depth)
      }
      true
    } else if (untyped) {
      readAlone(node, slot, depth)
      buffer.putBytes(slice.bytes, slice.start, slice.length)
      true
    } else {
      false
    }
  }

  /** Points `slice` at a checked `value` that stands alone. */
  private def readAlone(node: PositionVectors, slot: Int, depth: Int): Unit = {
    readResidual(node, slot, depth)
    if (strict && node.typed != null) {
      val basic = slice.bytes(slice.start) & 3
      if (basic == VariantConstants.BasicObject && node.typed.isInstanceOf[ObjectVectors]) {
        throw invalid(node, "'value' holds an object, but 'typed_value' (an object) is null.")
      }
      if (basic == VariantConstants.BasicArray && node.typed.isInstanceOf[ListVectors]) {
        throw invalid(node, "'value' holds an array, but 'typed_value' (an array) is null.")
      }
    }
  }

  /** Points `slice` at a checked `value`. */
  private def readResidual(node: PositionVectors, slot: Int, depth: Int): Unit = {
    slice.read(node.value, slot)
    metrics.residualValuesRead += 1
    try {
      validator.check(slice.bytes, slice.start, slice.end, plan.dictionary, maxDepth - depth)
    } catch {
      case e: VariantShreddedException =>
        val here = pathOf(node)
        val inner = e.location.path.map(path => here + path.stripPrefix("$")).getOrElse(here)
        throw new VariantShreddedException(
          e.condition,
          e.reason,
          e.sqlState,
          e.location.copy(path = Some(inner), column = node.position.value.map(_.path)),
          e
        )
    }
  }

  private def writeArray(node: PositionVectors, list: ListVectors, slot: Int, depth: Int): Unit = {
    checkDepth(node, depth)
    val offset = list.list.getArrayOffset(slot)
    val size = list.list.getArrayLength(slot)
    val end = buffer.used
    val base = top
    reserveEntries(size)
    top += size
    val level = arrayDepth
    arrayDepth += 1
    var i = size - 1
    while (i >= 0) {
      arrayIndexes(level) = i
      val element = offset + i
      if (list.elementGroup != null && list.elementGroup.isNullAt(element)) {
        if (strict) throw invalid(list.element, "An element of an array is null, not a group.")
        metrics.violationsTolerated += 1
        buffer.putByte(VariantConstants.Null)
      } else if (!write(list.element, element, depth + 1)) {
        // Elements cannot be missing: what is missing where a value is required is a Variant null.
        buffer.putByte(VariantConstants.Null)
      }
      positions(base + i) = buffer.used
      i -= 1
    }
    arrayDepth = level
    val dataSize = buffer.used - end
    val offsetSize = width(dataSize)
    buffer.putUnsigned(dataSize, offsetSize)
    i = size - 1
    while (i >= 0) {
      buffer.putUnsigned(end + dataSize - positions(base + i), offsetSize)
      i -= 1
    }
    val isLarge = size > MaxSmallCount
    buffer.putUnsigned(size, if (isLarge) 4 else 1)
    buffer.putByte(
      ((if (isLarge) 1 else 0) << 4) | ((offsetSize - 1) << 2) | VariantConstants.BasicArray
    )
    top = base
  }

  private def writeObject(
      node: PositionVectors,
      obj: ObjectVectors,
      slot: Int,
      hasValue: Boolean,
      depth: Int
  ): Unit = {
    checkDepth(node, depth)
    val end = buffer.used
    val base = top
    val residualBase = residualTop
    if (hasValue) openResidual(node, obj, slot, depth)
    val residualBytes = if (hasValue) slice.stableBytes else slice.bytes
    var live = obj.liveCount - 1
    var residual = residualTop - 1
    while (live >= 0 || residual >= residualBase) {
      // The larger name of the two first, as everything is written backwards.
      val takeResidual = residual >= residualBase &&
        (live < 0 || compareToResidual(obj, obj.liveFields(live), residualIds(residual)) < 0)
      if (takeResidual) {
        val start = residualStarts(residual)
        buffer.putBytes(residualBytes, start, residualEnds(residual) - start)
        addEntry(residualIds(residual))
        residual -= 1
        residualTop = residual + 1
      } else {
        val index = obj.liveFields(live)
        if (write(obj.fields(index), slot, depth + 1)) {
          val id = plan.id(obj.ordinals(index))
          if (id < 0) {
            throw VariantShreddedErrors.invalidShreddedValue(
              "A shredded field has a value, but its name is not in the metadata of the row.",
              ErrorLocation(path = Some(pathOf(obj.fields(index))))
            )
          }
          addEntry(id)
        }
        live -= 1
      }
    }
    residualTop = residualBase
    closeObject(base, end)
  }

  /** Writes the header of an object whose children are there since `end`, last first. */
  private def closeObject(base: Int, end: Int): Unit = {
    val size = top - base
    val dataSize = buffer.used - end
    val offsetSize = width(dataSize)
    var maxId = 0
    var i = base
    while (i < top) {
      if (ids(i) > maxId) maxId = ids(i)
      i += 1
    }
    val idSize = width(maxId)
    buffer.putUnsigned(dataSize, offsetSize)
    i = base
    while (i < top) {
      buffer.putUnsigned(end + dataSize - positions(i), offsetSize)
      i += 1
    }
    i = base
    while (i < top) {
      buffer.putUnsigned(ids(i), idSize)
      i += 1
    }
    val isLarge = size > MaxSmallCount
    buffer.putUnsigned(size, if (isLarge) 4 else 1)
    buffer.putByte(
      ((if (isLarge) 1 else 0) << 6) | ((idSize - 1) << 4) | ((offsetSize - 1) << 2) |
        VariantConstants.BasicObject
    )
    top = base
  }

  /** Lists the fields of the residual of a partially shredded object, by name. */
  private def openResidual(
      node: PositionVectors,
      obj: ObjectVectors,
      slot: Int,
      depth: Int
  ): Unit = {
    readResidual(node, slot, depth)
    if ((slice.bytes(slice.start) & 3) != VariantConstants.BasicObject) {
      if (strict) {
        throw invalid(node, "'value' is not an object, but 'typed_value' (an object) is non-null.")
      }
      metrics.violationsTolerated += 1
    } else {
      cursor.reset(slice.bytes, slice.start, slice.end)
      val count = cursor.numFields
      reserveResidual(count)
      val shredded = plan.shredded(obj)
      val base = residualTop
      var i = 0
      while (i < count) {
        val id = cursor.fieldId(i)
        if (shredded(id)) {
          if (strict) {
            throw invalid(
              node,
              s"'value' holds the field '${plan.dictionary.key(id)}', which is shredded."
            )
          }
          metrics.violationsTolerated += 1
        } else {
          val start = cursor.fieldPos(i)
          residualIds(residualTop) = id
          residualStarts(residualTop) = start
          residualEnds(residualTop) = start + VariantReader.valueSize(slice.bytes, start, slice.end)
          residualTop += 1
        }
        i += 1
      }
      sortResidual(base)
    }
  }

  /** Residual fields come sorted; only names that UTF-8 and UTF-16 order differently move. */
  private def sortResidual(base: Int): Unit = {
    var i = base + 1
    while (i < residualTop) {
      var j = i
      while (j > base && plan.dictionary.compareKeys(residualIds(j - 1), residualIds(j)) > 0) {
        swap(residualIds, j)
        swap(residualStarts, j)
        swap(residualEnds, j)
        j -= 1
      }
      i += 1
    }
  }

  private def swap(array: Array[Int], j: Int): Unit = {
    val held = array(j)
    array(j) = array(j - 1)
    array(j - 1) = held
  }

  private def compareToResidual(obj: ObjectVectors, index: Int, id: Int): Int = {
    val name = obj.names(index)
    val dictionary = plan.dictionary
    KeyOrder.compare(
      name,
      0,
      name.length,
      dictionary.bytes,
      dictionary.keyOffset(id),
      dictionary.keyLength(id)
    )
  }

  private def addEntry(id: Int): Unit = {
    reserveEntries(1)
    ids(top) = id
    positions(top) = buffer.used
    top += 1
  }

  private def reserveEntries(count: Int): Unit = if (top + count > ids.length) {
    val capacity = math.max(top + count, ids.length * 2)
    ids = Arrays.copyOf(ids, capacity)
    positions = Arrays.copyOf(positions, capacity)
  }

  private def reserveResidual(count: Int): Unit = if (residualTop + count > residualIds.length) {
    val capacity = math.max(residualTop + count, residualIds.length * 2)
    residualIds = Arrays.copyOf(residualIds, capacity)
    residualStarts = Arrays.copyOf(residualStarts, capacity)
    residualEnds = Arrays.copyOf(residualEnds, capacity)
  }

  private def writePrimitive(node: PositionVectors, typed: PrimitiveVectors, slot: Int): Unit = {
    val vector = typed.vector
    typed.code match {
      case PrimitiveCode.Bool =>
        header(if (vector.getBoolean(slot)) VariantConstants.True else VariantConstants.False)
      case PrimitiveCode.Int8 =>
        val number = vector.getInt(slot)
        if (number != number.toByte) throw outOfRange(node, number.toString, "int8")
        buffer.putByte(number)
        header(VariantConstants.Int8)
      case PrimitiveCode.Int16 =>
        val number = vector.getInt(slot)
        if (number != number.toShort) throw outOfRange(node, number.toString, "int16")
        buffer.putShort(number)
        header(VariantConstants.Int16)
      case PrimitiveCode.Int32 =>
        buffer.putInt(vector.getInt(slot))
        header(VariantConstants.Int32)
      case PrimitiveCode.Int64 =>
        buffer.putLong(vector.getLong(slot))
        header(VariantConstants.Int64)
      case PrimitiveCode.Float =>
        buffer.putInt(java.lang.Float.floatToRawIntBits(vector.getFloat(slot)))
        header(VariantConstants.Float)
      case PrimitiveCode.Double =>
        buffer.putLong(java.lang.Double.doubleToRawLongBits(vector.getDouble(slot)))
        header(VariantConstants.Double)
      case PrimitiveCode.Decimal4 =>
        val unscaled = vector.getInt(slot)
        if (unscaled > MaxDecimal4 || unscaled < -MaxDecimal4) {
          throw outOfRange(node, unscaled.toString, "decimal4")
        }
        buffer.putInt(unscaled)
        buffer.putByte(typed.scale)
        header(VariantConstants.Decimal4)
      case PrimitiveCode.Decimal8 =>
        val unscaled = vector.getLong(slot)
        if (unscaled > MaxDecimal8 || unscaled < -MaxDecimal8) {
          throw outOfRange(node, unscaled.toString, "decimal8")
        }
        buffer.putLong(unscaled)
        buffer.putByte(typed.scale)
        header(VariantConstants.Decimal8)
      case PrimitiveCode.Decimal16 =>
        writeDecimal16(node, typed, slot)
      case PrimitiveCode.Date =>
        buffer.putInt(vector.getInt(slot))
        header(VariantConstants.Date)
      case PrimitiveCode.Time =>
        val micros = vector.getLong(slot)
        if (micros < 0 || micros >= MicrosPerDay) throw outOfRange(node, micros.toString, "time")
        buffer.putLong(micros)
        header(VariantConstants.TimeNtzMicros)
      case PrimitiveCode.TimestampMicros =>
        writeLong(vector, slot, VariantConstants.TimestampMicros)
      case PrimitiveCode.TimestampNtzMicros =>
        writeLong(vector, slot, VariantConstants.TimestampNtzMicros)
      case PrimitiveCode.TimestampNanos =>
        writeLong(vector, slot, VariantConstants.TimestampNanos)
      case PrimitiveCode.TimestampNtzNanos =>
        writeLong(vector, slot, VariantConstants.TimestampNtzNanos)
      case PrimitiveCode.Binary =>
        slice.read(vector, slot)
        buffer.putBytes(slice.bytes, slice.start, slice.length)
        buffer.putInt(slice.length)
        header(VariantConstants.Binary)
      case PrimitiveCode.String =>
        slice.read(vector, slot)
        if (strict && Utf8.firstMalformed(slice.bytes, slice.start, slice.end) >= 0) {
          throw invalid(node, "'typed_value' (a string) is not valid UTF-8.")
        }
        buffer.putBytes(slice.bytes, slice.start, slice.length)
        if (slice.length <= VariantConstants.MaxShortString) {
          buffer.putByte((slice.length << 2) | VariantConstants.BasicShortString)
        } else {
          buffer.putInt(slice.length)
          header(VariantConstants.LongString)
        }
      case PrimitiveCode.Uuid =>
        slice.read(vector, slot)
        buffer.putBytes(slice.bytes, slice.start, slice.length)
        header(VariantConstants.Uuid)
    }
  }

  private def header(primitive: Int): Unit = buffer.putByte(primitive << 2)

  private def writeLong(vector: WritableColumnVector, slot: Int, primitive: Int): Unit = {
    buffer.putLong(vector.getLong(slot))
    header(primitive)
  }

  /** From big-endian bytes of any length to 16 little-endian bytes. */
  private def writeDecimal16(node: PositionVectors, typed: PrimitiveVectors, slot: Int): Unit = {
    slice.read(typed.vector, slot)
    if (slice.length == 0) throw invalid(node, "'typed_value' (a decimal) has no bytes.")
    var high = if (slice.bytes(slice.start) < 0) -1L else 0L
    val sign = high
    var low = high
    var i = slice.start
    // Leading bytes beyond 16 may only repeat the sign.
    while (slice.end - i > 16) {
      if (slice.bytes(i) != sign.toByte) throw outOfRange(node, "a number", "decimal16")
      i += 1
    }
    while (i < slice.end) {
      high = (high << 8) | (low >>> 56)
      low = (low << 8) | (slice.bytes(i) & 0xffL)
      i += 1
    }
    if (slice.length > 16 && (high >> 63) != sign || !isDecimal38(high, low)) {
      throw outOfRange(node, "a number", "decimal16")
    }
    buffer.putLong(high)
    buffer.putLong(low)
    buffer.putByte(typed.scale)
    header(VariantConstants.Decimal16)
  }

  private def checkDepth(node: PositionVectors, depth: Int): Unit =
    if (depth >= maxDepth) {
      throw VariantShreddedErrors.malformedVariant(
        s"The value is nested deeper than $maxDepth.",
        ErrorLocation(path = Some(pathOf(node)))
      )
    }

  /** `value` and a `typed_value` that is no object are both non-null. */
  private def conflict(node: PositionVectors, what: String): Unit = {
    if (strict) {
      throw invalid(node, s"Both 'value' and 'typed_value' ($what) are non-null.")
    }
    metrics.violationsTolerated += 1
  }

  private def invalid(node: PositionVectors, reason: String): VariantShreddedException =
    VariantShreddedErrors.invalidShreddedValue(reason, ErrorLocation(path = Some(pathOf(node))))

  private def outOfRange(node: PositionVectors, number: String, shreddedType: String) =
    invalid(node, s"'typed_value' holds $number, which is out of the range of $shreddedType.")

  /** The position being written, with its array indexes filled in. */
  private def pathOf(node: PositionVectors): String = {
    var path = node.position.path
    var i = 0
    while (i < arrayDepth) {
      path = path.replaceFirst("\\[\\*\\]", s"[${arrayIndexes(i)}]")
      i += 1
    }
    path
  }
}

private[read] object VariantRebuilder {
  private final val MaxSmallCount = 255
  private final val MaxDecimal4 = 999999999
  private final val MaxDecimal8 = 999999999999999999L
  private final val MicrosPerDay = 86400000000L

  // 10^38 as two longs.
  private val Limit38 = java.math.BigInteger.TEN.pow(38)
  private val Limit38High = Limit38.shiftRight(64).longValueExact
  private val Limit38Low = Limit38.longValue

  /** Bytes that hold an unsigned number. */
  private def width(number: Int): Int =
    if (number <= 0xff) 1 else if (number <= 0xffff) 2 else if (number <= 0xffffff) 3 else 4

  /** Whether a 128-bit number lies strictly between -10^38 and 10^38. */
  private def isDecimal38(high: Long, low: Long): Boolean = {
    var h = high
    var l = low
    if (h < 0) {
      h = ~h
      l = -l
      if (l == 0) h += 1
    }
    h >= 0 && (h < Limit38High ||
      (h == Limit38High && java.lang.Long.compareUnsigned(l, Limit38Low) < 0))
  }
}
