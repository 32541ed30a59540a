package io.github.variantshredded.variant.encode

import java.math.{BigDecimal, BigInteger}
import java.nio.charset.StandardCharsets
import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{
  ContainerHeader,
  KeyNames,
  LittleEndian,
  ValueHeader,
  VariantNumbers,
  VariantReader
}
import io.github.variantshredded.variant.VariantConstants._

/**
 * Writes Variant values in ascending byte order into one growing buffer ("Value encoding").
 *
 * {{{
 * val names = new MetadataBuilder
 * val encoder = new VariantEncoder
 * encoder.beginObject()
 * encoder.field(names.add("id"))
 * encoder.writeInt32(7)
 * encoder.endObject(names)
 * val (metadata, value) = (names.build(), encoder.toByteArray)
 * }}}
 *
 * Values that are written outside of any object or array follow one another in the buffer;
 * [[position]] returns where each one ends. Counts, ids and offsets get the smallest possible
 * widths. A call in the wrong order throws an `IllegalStateException`; a number that its type
 * cannot have is the error `MALFORMED_VARIANT`.
 *
 * @param sizeLimit
 *   most bytes of one value; more are the error `VARIANT_SIZE_LIMIT`
 */
final class VariantEncoder(sizeLimit: Int = SizeLimit) {

  private var out = new Array[Byte](512)
  private var pos = 0
  private var valueStart = 0

  // Open containers: where their data starts, and where their children are in `entries`. A child is
  // its id in the upper and its offset in the lower 32 bits.
  private var depth = 0
  private var dataStarts = new Array[Int](16)
  private var entryStarts = new Array[Int](16)
  private var areObjects = new Array[Boolean](16)
  private var entries = new Array[Long](64)
  private var scratch = new Array[Long](64)
  private var entryCount = 0
  private var pendingId = -1

  /** Discards everything that was written, and keeps the memory. */
  def reset(): Unit = {
    pos = 0
    valueStart = 0
    depth = 0
    entryCount = 0
    pendingId = -1
  }

  /** Returns the number of bytes written since the last `reset`. */
  def position: Int = pos

  /**
   * Returns the buffer, which holds the written bytes up to [[position]]; valid until the next
   * call.
   */
  def buffer: Array[Byte] = out

  def toByteArray: Array[Byte] = Arrays.copyOf(out, pos)

  def writeNull(): Unit = writeHeader(Null, 0)

  def writeBoolean(value: Boolean): Unit = writeHeader(if (value) True else False, 0)

  def writeInt8(value: Byte): Unit = {
    writeHeader(Int8, 1)
    out(pos) = value
    pos += 1
  }

  def writeInt16(value: Short): Unit = {
    writeHeader(Int16, 2)
    LittleEndian.putShort(out, pos, value)
    pos += 2
  }

  def writeInt32(value: Int): Unit = writeIntAs(Int32, value)

  def writeInt64(value: Long): Unit = writeLongAs(Int64, value)

  /** Writes an integer in the narrowest type of int8 to int64. */
  def writeInteger(value: Long): Unit =
    if (value == value.toByte) writeInt8(value.toByte)
    else if (value == value.toShort) writeInt16(value.toShort)
    else if (value == value.toInt) writeInt32(value.toInt)
    else writeInt64(value)

  def writeFloat(value: Float): Unit = writeIntAs(Float, java.lang.Float.floatToRawIntBits(value))

  def writeDouble(value: Double): Unit =
    writeLongAs(Double, java.lang.Double.doubleToRawLongBits(value))

  /** Writes a decimal of at most 9 digits and a scale of 0 to 38. */
  def writeDecimal4(unscaled: Int, scale: Int): Unit = {
    checkDecimal(VariantNumbers.fitsDecimal4(unscaled.toLong), scale, Decimal4)
    writeHeader(Decimal4, 5)
    out(pos) = scale.toByte
    LittleEndian.putInt(out, pos + 1, unscaled)
    pos += 5
  }

  /** Writes a decimal of at most 18 digits and a scale of 0 to 38. */
  def writeDecimal8(unscaled: Long, scale: Int): Unit = {
    checkDecimal(VariantNumbers.fitsDecimal8(unscaled), scale, Decimal8)
    writeHeader(Decimal8, 9)
    out(pos) = scale.toByte
    LittleEndian.putLong(out, pos + 1, unscaled)
    pos += 9
  }

  /**
   * Writes a decimal of at most 38 digits and a scale of 0 to 38; `high` and `low` are the two
   * halves of the unscaled value.
   */
  def writeDecimal16(high: Long, low: Long, scale: Int): Unit = {
    checkDecimal(VariantNumbers.fitsDecimal16(high, low), scale, Decimal16)
    writeHeader(Decimal16, 17)
    out(pos) = scale.toByte
    LittleEndian.putLong(out, pos + 1, low)
    LittleEndian.putLong(out, pos + 9, high)
    pos += 17
  }

  /**
   * Writes a decimal in the narrowest type whose precision covers both the digits and the scale,
   * because Spark reads no decimal4 with a scale above 9.
   */
  def writeDecimal(unscaled: Long, scale: Int): Unit =
    if (VariantNumbers.fitsDecimal4(unscaled) && scale <= VariantNumbers.MaxPrecision4)
      writeDecimal4(unscaled.toInt, scale)
    else if (VariantNumbers.fitsDecimal8(unscaled) && scale <= VariantNumbers.MaxPrecision8)
      writeDecimal8(unscaled, scale)
    else writeDecimal16(unscaled >> 63, unscaled, scale)

  /** Writes a decimal of up to 38 digits as the other `writeDecimal` does; allocates. */
  def writeDecimal(value: BigDecimal): Unit = {
    val unscaled = value.unscaledValue
    if (unscaled.bitLength < 64) writeDecimal(unscaled.longValue, value.scale)
    else writeDecimal16(unscaled, value.scale)
  }

  /** Writes a decimal of at most 38 digits and a scale of 0 to 38; allocates. */
  def writeDecimal16(unscaled: BigInteger, scale: Int): Unit = {
    checkDecimal(unscaled.bitLength < 128, scale, Decimal16)
    writeDecimal16(unscaled.shiftRight(64).longValue, unscaled.longValue, scale)
  }

  /** Writes a date, in days since the epoch. */
  def writeDate(days: Int): Unit = writeIntAs(Date, days)

  /** Writes a time, in microseconds since midnight, less than a day. */
  def writeTime(micros: Long): Unit = {
    if (!VariantNumbers.isTimeOfDay(micros))
      throw VariantReader.malformed(s"$micros microseconds are not a time of day.")
    writeLongAs(TimeNtzMicros, micros)
  }

  def writeTimestampMicros(micros: Long): Unit = writeLongAs(TimestampMicros, micros)

  def writeTimestampNtzMicros(micros: Long): Unit = writeLongAs(TimestampNtzMicros, micros)

  def writeTimestampNanos(nanos: Long): Unit = writeLongAs(TimestampNanos, nanos)

  def writeTimestampNtzNanos(nanos: Long): Unit = writeLongAs(TimestampNtzNanos, nanos)

  def writeBinary(bytes: Array[Byte], start: Int, length: Int): Unit =
    writeContent(Binary, bytes, start, length)

  def writeString(text: String): Unit = {
    val utf8 = text.getBytes(StandardCharsets.UTF_8)
    writeString(utf8, 0, utf8.length)
  }

  /** Writes a string, up to 63 bytes in the short form. The caller makes sure that it is UTF-8. */
  def writeString(utf8: Array[Byte], start: Int, length: Int): Unit =
    if (length > MaxShortString) writeLongString(utf8, start, length)
    else {
      beginValue(1L + length)
      out(pos) = ValueHeader.ofShortString(length).toByte
      pos += 1
      append(utf8, start, length)
    }

  /** Writes a string in the long form, however short it is. */
  def writeLongString(utf8: Array[Byte], start: Int, length: Int): Unit =
    writeContent(LongString, utf8, start, length)

  /** Writes a UUID, whose 16 bytes are given as two big-endian numbers. */
  def writeUuid(high: Long, low: Long): Unit = {
    writeHeader(Uuid, 16)
    LittleEndian.putLong(out, pos, java.lang.Long.reverseBytes(high))
    LittleEndian.putLong(out, pos + 8, java.lang.Long.reverseBytes(low))
    pos += 16
  }

  /** Copies an encoded value whose field ids belong to the same metadata dictionary. */
  def writeEncoded(source: Array[Byte], start: Int, length: Int): Unit = {
    beginValue(length.toLong)
    append(source, start, length)
  }

  def beginObject(): Unit = begin(isObject = true)

  /** Sets the name of the field whose value is written next. */
  def field(id: Int): Unit = {
    if (depth == 0 || !areObjects(depth - 1) || pendingId >= 0)
      throw new IllegalStateException("A field can only stand in an object, after a value")
    if (id < 0) throw VariantReader.malformed(s"$id is not a field id.")
    pendingId = id
  }

  /**
   * Ends an object, whose fields may have been written in any order.
   *
   * @param keys
   *   the names of the ids, by which the fields are sorted
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if two fields have the same name
   */
  def endObject(keys: KeyNames): Unit = {
    checkOpen(isObject = true)
    val from = entryStarts(depth - 1)
    if (!ascends(keys, from)) sort(keys, from)
    end(BasicObject, LittleEndian.width(maxId(from)), null)
  }

  /** Returns whether each name of the innermost object is greater than the name before it. */
  private def ascends(keys: KeyNames, from: Int): Boolean = {
    var i = from + 1
    while (i < entryCount && compare(keys, i) < 0) i += 1
    i >= entryCount
  }

  /** Compares the names of a field and of the field before it. */
  private def compare(keys: KeyNames, i: Int): Int =
    keys.compareKeys((entries(i - 1) >>> 32).toInt, (entries(i) >>> 32).toInt)

  private def sort(keys: KeyNames, from: Int): Unit = {
    if (scratch.length < entries.length) scratch = new Array[Long](entries.length)
    KeyNames.sort(keys, entries, scratch, from, entryCount)
    var i = from + 1
    while (i < entryCount) {
      if (compare(keys, i) == 0) {
        val name = keys.key((entries(i) >>> 32).toInt)
        throw VariantReader.malformed(s"An object has two fields with the name '$name'.")
      }
      i += 1
    }
  }

  private def maxId(from: Int): Int = {
    var max = 0
    var i = from
    while (i < entryCount) {
      max = math.max(max, (entries(i) >>> 32).toInt)
      i += 1
    }
    max
  }

  /**
   * Ends an object whose order of names is known, and whose names differ.
   *
   * @param byName
   *   for each field in ascending order of names, how many fields were written before it
   */
  private[variantshredded] def endObject(byName: Array[Int]): Unit = {
    checkOpen(isObject = true)
    val from = entryStarts(depth - 1)
    if (byName.length != entryCount - from)
      throw new IllegalStateException("The order is that of another number of fields")
    end(BasicObject, LittleEndian.width(maxId(from)), byName)
  }

  def beginArray(): Unit = begin(isObject = false)

  def endArray(): Unit = {
    checkOpen(isObject = false)
    end(BasicArray, 0, null)
  }

  /**
   * Reserves `size` bytes for a value, which becomes a child of the innermost open container. The
   * caller writes exactly these bytes from the returned position, and then calls [[skipTo]].
   */
  private[variant] def reserve(size: Long): Int = {
    beginValue(size)
    pos
  }

  private[variant] def skipTo(newPosition: Int): Unit = pos = newPosition

  private def begin(isObject: Boolean): Unit = {
    beginValue(0)
    if (depth == dataStarts.length) {
      dataStarts = Arrays.copyOf(dataStarts, depth * 2)
      entryStarts = Arrays.copyOf(entryStarts, depth * 2)
      areObjects = Arrays.copyOf(areObjects, depth * 2)
    }
    dataStarts(depth) = pos
    entryStarts(depth) = entryCount
    areObjects(depth) = isObject
    depth += 1
  }

  private def checkOpen(isObject: Boolean): Unit =
    if (depth == 0 || areObjects(depth - 1) != isObject || pendingId >= 0)
      throw new IllegalStateException("The end does not match what was begun last")

  // Moves the data of the innermost container forward, and writes its header and lists before them.
  // The children are listed in the order in which they were written if `order` is null.
  private def end(basicType: Int, idWidth: Int, order: Array[Int]): Unit = {
    depth -= 1
    val start = dataStarts(depth)
    val from = entryStarts(depth)
    val count = entryCount - from
    val data = pos - start
    val offsetWidth = LittleEndian.width(data)
    val lists = ContainerHeader.size(count, idWidth, offsetWidth)
    ensure(lists)
    System.arraycopy(out, start, out, start + lists.toInt, data)
    val idsAt = ContainerHeader.write(out, start, basicType, count, idWidth, offsetWidth)
    val offsetsAt = idsAt + count * idWidth
    var i = 0
    while (i < count) {
      val entry = entries(from + (if (order == null) i else order(i)))
      if (idWidth > 0) put(idsAt + i * idWidth, (entry >>> 32).toInt, idWidth)
      put(offsetsAt + i * offsetWidth, entry.toInt, offsetWidth)
      i += 1
    }
    put(offsetsAt + count * offsetWidth, data, offsetWidth)
    entryCount = from
    pos += lists.toInt
  }

  // Most ids and offsets take one or two bytes.
  private def put(at: Int, value: Int, width: Int): Unit =
    if (width == 1) out(at) = value.toByte
    else if (width == 2) LittleEndian.putShort(out, at, value.toShort)
    else LittleEndian.putUnsigned(out, at, value, width)

  private def writeHeader(primitiveType: Int, content: Int): Unit = {
    beginValue(1L + content)
    out(pos) = ValueHeader.ofPrimitive(primitiveType).toByte
    pos += 1
  }

  private def writeIntAs(primitiveType: Int, value: Int): Unit = {
    writeHeader(primitiveType, 4)
    LittleEndian.putInt(out, pos, value)
    pos += 4
  }

  private def writeLongAs(primitiveType: Int, value: Long): Unit = {
    writeHeader(primitiveType, 8)
    LittleEndian.putLong(out, pos, value)
    pos += 8
  }

  private def writeContent(kind: Int, bytes: Array[Byte], start: Int, length: Int): Unit = {
    beginValue(5L + length)
    out(pos) = ValueHeader.ofPrimitive(kind).toByte
    LittleEndian.putInt(out, pos + 1, length)
    pos += 5
    append(bytes, start, length)
  }

  private def append(bytes: Array[Byte], start: Int, length: Int): Unit = {
    System.arraycopy(bytes, start, out, pos, length)
    pos += length
  }

  private def checkDecimal(fits: Boolean, scale: Int, kind: Int): Unit = {
    val name = VariantReader.kindName(kind)
    if (!fits) throw VariantReader.malformed(s"The number has more digits than $name can have.")
    if (scale < 0 || scale > VariantNumbers.MaxScale)
      throw VariantReader.malformed(s"The scale $scale of a $name is not within 0 to 38.")
  }

  // Records where a value starts, and ensures room for its first bytes.
  private def beginValue(size: Long): Unit = {
    if (depth == 0) valueStart = pos
    ensure(size)
    if (depth > 0) {
      val isObject = areObjects(depth - 1)
      if (isObject && pendingId < 0)
        throw new IllegalStateException("A value in an object needs a field")
      if (entryCount == entries.length) entries = Arrays.copyOf(entries, entryCount * 2)
      val id = if (isObject) pendingId else 0
      entries(entryCount) = (id.toLong << 32) | (pos - dataStarts(depth - 1))
      entryCount += 1
      pendingId = -1
    }
  }

  private def ensure(size: Long): Unit = {
    val required = pos + size
    if (required - valueStart > sizeLimit || required > GrowingArray.MaxLength)
      throw VariantShreddedErrors.variantSizeLimit(sizeLimit)
    if (required > out.length)
      out = Arrays.copyOf(out, GrowingArray.capacity(out.length, required.toInt))
  }
}
