package io.github.variantshredded.variant

import java.math.{BigDecimal, BigInteger}

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.variant.VariantConstants._

/**
 * Reads one encoded value at `pos` of an array ("Value encoding"); only the methods that say so
 * allocate memory.
 *
 * `limit` is the end of the bytes that may be read, at most the array's length; the value itself
 * may end before it. Everything is checked against it, and every error is `MALFORMED_VARIANT`.
 *
 * The primitive types ("Encoding types"; the header byte is the type times 4):
 *
 * | type            | id | bytes after the header                                |
 * |:----------------|---:|:------------------------------------------------------|
 * | null            |  0 | none                                                  |
 * | true, false     | 1, 2 | none                                                |
 * | int8            |  3 | 1                                                     |
 * | int16           |  4 | 2, little-endian as all numbers but uuid              |
 * | int32           |  5 | 4                                                     |
 * | int64           |  6 | 8                                                     |
 * | double          |  7 | 8, IEEE 754                                           |
 * | decimal4        |  8 | scale (0 to 38) in 1, unscaled in 4: precision 1 to 9 |
 * | decimal8        |  9 | scale in 1, unscaled in 8: precision up to 18         |
 * | decimal16       | 10 | scale in 1, unscaled in 16: precision up to 38        |
 * | date            | 11 | 4: days since the epoch                               |
 * | timestamp       | 12 | 8: microseconds since the epoch, UTC                  |
 * | timestamp_ntz   | 13 | 8: microseconds since the epoch, local                |
 * | float           | 14 | 4, IEEE 754                                           |
 * | binary          | 15 | length in 4, then the bytes                           |
 * | string          | 16 | length in 4, then UTF-8                               |
 * | time_ntz        | 17 | 8: microseconds since midnight                        |
 * | timestamp       | 18 | 8: nanoseconds since the epoch, UTC                   |
 * | timestamp_ntz   | 19 | 8: nanoseconds since the epoch, local                 |
 * | uuid            | 20 | 16, big-endian                                        |
 */
object VariantReader {

  /** The result of [[kind]] for objects; it is outside of the 6 bits of primitive types. */
  final val ObjectKind = 64

  /** The result of [[kind]] for arrays. */
  final val ArrayKind = 65

  // Size with the header, by type; 0 if a length follows the header.
  private val primitiveSizes: Array[Int] =
    Array(1, 1, 1, 2, 3, 5, 9, 9, 6, 10, 18, 5, 9, 9, 5, 0, 0, 9, 9, 9, 17)

  /** Returns the basic type, such as [[VariantConstants.BasicPrimitive]]. */
  def basicType(bytes: Array[Byte], pos: Int, limit: Int): Int =
    ValueHeader.basicType(header(bytes, pos, limit))

  /**
   * Returns the id of the primitive type ([[VariantConstants.LongString]] for both forms of
   * strings), [[ObjectKind]] or [[ArrayKind]].
   */
  def kind(bytes: Array[Byte], pos: Int, limit: Int): Int = {
    val head = header(bytes, pos, limit)
    ValueHeader.basicType(head) match {
      case BasicPrimitive =>
        val id = ValueHeader.info(head)
        if (id >= primitiveSizes.length) throw unknownType(id)
        id
      case BasicShortString => LongString
      case BasicObject      => ObjectKind
      case _                => ArrayKind
    }
  }

  /** Returns the name of a [[kind]] for messages. */
  def kindName(kind: Int): String = kind match {
    case Null               => "null"
    case True | False       => "boolean"
    case Int8               => "int8"
    case Int16              => "int16"
    case Int32              => "int32"
    case Int64              => "int64"
    case Double             => "double"
    case Decimal4           => "decimal4"
    case Decimal8           => "decimal8"
    case Decimal16          => "decimal16"
    case Date               => "date"
    case TimestampMicros    => "timestamp"
    case TimestampNtzMicros => "timestamp_ntz"
    case Float              => "float"
    case Binary             => "binary"
    case LongString         => "string"
    case TimeNtzMicros      => "time"
    case TimestampNanos     => "timestamp with nanoseconds"
    case TimestampNtzNanos  => "timestamp_ntz with nanoseconds"
    case Uuid               => "uuid"
    case ObjectKind         => "object"
    case ArrayKind          => "array"
    case _                  => s"primitive type $kind"
  }

  /** Returns whether the value is a Variant null. */
  def isNull(bytes: Array[Byte], pos: Int, limit: Int): Boolean = header(bytes, pos, limit) == 0

  /**
   * Returns the number of bytes that the value takes with its header, at most `limit - pos`, in
   * constant time.
   *
   * The children of an object or array are not checked: [[VariantValidator]] does that.
   */
  def valueSize(bytes: Array[Byte], pos: Int, limit: Int): Int = {
    val head = header(bytes, pos, limit)
    val size = ValueHeader.basicType(head) match {
      case BasicPrimitive   => primitiveSize(bytes, pos, limit, ValueHeader.info(head))
      case BasicShortString => 1L + ValueHeader.info(head)
      case _                => containerSize(bytes, pos, limit, head)
    }
    if (size > limit - pos) throw truncated(size, limit - pos)
    size.toInt
  }

  /** Returns the value of a boolean. */
  def getBoolean(bytes: Array[Byte], pos: Int, limit: Int): Boolean =
    kind(bytes, pos, limit) match {
      case True  => true
      case False => false
      case other => throw unexpected("boolean", other)
    }

  /**
   * Returns the value of an int8 to int64, the days of a date, or the micro- or nanoseconds of a
   * time or timestamp.
   */
  def getLong(bytes: Array[Byte], pos: Int, limit: Int): Long =
    kind(bytes, pos, limit) match {
      case Int8 =>
        need(pos, limit, 2)
        bytes(pos + 1).toLong
      case Int16 =>
        need(pos, limit, 3)
        LittleEndian.getShort(bytes, pos + 1).toLong
      case Int32 | Date =>
        need(pos, limit, 5)
        LittleEndian.getInt(bytes, pos + 1).toLong
      case Int64 | TimestampMicros | TimestampNtzMicros | TimeNtzMicros | TimestampNanos |
          TimestampNtzNanos =>
        need(pos, limit, 9)
        LittleEndian.getLong(bytes, pos + 1)
      case other => throw unexpected("integer, date, time or timestamp", other)
    }

  def getFloat(bytes: Array[Byte], pos: Int, limit: Int): Float = {
    expect(bytes, pos, limit, Float)
    need(pos, limit, 5)
    java.lang.Float.intBitsToFloat(LittleEndian.getInt(bytes, pos + 1))
  }

  def getDouble(bytes: Array[Byte], pos: Int, limit: Int): Double = {
    expect(bytes, pos, limit, Double)
    need(pos, limit, 9)
    java.lang.Double.longBitsToDouble(LittleEndian.getLong(bytes, pos + 1))
  }

  /** Returns the scale of a decimal, 0 to 38. */
  def getDecimalScale(bytes: Array[Byte], pos: Int, limit: Int): Int = {
    val found = kind(bytes, pos, limit)
    if (found < Decimal4 || found > Decimal16) throw unexpected("decimal", found)
    need(pos, limit, 2)
    val scale = bytes(pos + 1) & 0xff
    if (scale > VariantNumbers.MaxScale)
      throw malformed(s"A decimal's scale is $scale, more than 38.")
    scale
  }

  /** Returns the unscaled value of a decimal4 or decimal8. */
  def getUnscaledLong(bytes: Array[Byte], pos: Int, limit: Int): Long =
    kind(bytes, pos, limit) match {
      case Decimal4 =>
        need(pos, limit, 6)
        LittleEndian.getInt(bytes, pos + 2).toLong
      case Decimal8 =>
        need(pos, limit, 10)
        LittleEndian.getLong(bytes, pos + 2)
      case other => throw unexpected("decimal4 or decimal8", other)
    }

  /** Returns the upper 64 bits of a decimal16's unscaled value, with the sign. */
  def getUnscaledHigh(bytes: Array[Byte], pos: Int, limit: Int): Long = {
    expect(bytes, pos, limit, Decimal16)
    need(pos, limit, 18)
    LittleEndian.getLong(bytes, pos + 10)
  }

  /** Returns the lower 64 bits of a decimal16's unscaled value. */
  def getUnscaledLow(bytes: Array[Byte], pos: Int, limit: Int): Long = {
    expect(bytes, pos, limit, Decimal16)
    need(pos, limit, 18)
    LittleEndian.getLong(bytes, pos + 2)
  }

  /** Returns any decimal, with the scale that is stored; allocates. */
  def getDecimal(bytes: Array[Byte], pos: Int, limit: Int): BigDecimal = {
    val scale = getDecimalScale(bytes, pos, limit)
    if (kind(bytes, pos, limit) != Decimal16)
      BigDecimal.valueOf(getUnscaledLong(bytes, pos, limit), scale)
    else {
      val high = BigInteger.valueOf(getUnscaledHigh(bytes, pos, limit)).shiftLeft(64)
      val low = new BigInteger(java.lang.Long.toUnsignedString(getUnscaledLow(bytes, pos, limit)))
      new BigDecimal(high.add(low), scale)
    }
  }

  /** Returns the position of the first content byte of a string or binary. */
  def contentStart(bytes: Array[Byte], pos: Int, limit: Int): Int =
    kind(bytes, pos, limit) match {
      case LongString => if (isShort(bytes, pos)) pos + 1 else pos + 5
      case Binary     => pos + 5
      case other      => throw unexpected("string or binary", other)
    }

  /** Returns the number of content bytes of a string or binary, all of them before `limit`. */
  def contentLength(bytes: Array[Byte], pos: Int, limit: Int): Int = {
    val start = contentStart(bytes, pos, limit)
    pos + valueSize(bytes, pos, limit) - start
  }

  /** Returns the first 8 bytes of a UUID as a number. */
  def getUuidHigh(bytes: Array[Byte], pos: Int, limit: Int): Long = {
    expect(bytes, pos, limit, Uuid)
    need(pos, limit, 17)
    java.lang.Long.reverseBytes(LittleEndian.getLong(bytes, pos + 1))
  }

  /** Returns the last 8 bytes of a UUID as a number. */
  def getUuidLow(bytes: Array[Byte], pos: Int, limit: Int): Long = {
    expect(bytes, pos, limit, Uuid)
    need(pos, limit, 17)
    java.lang.Long.reverseBytes(LittleEndian.getLong(bytes, pos + 9))
  }

  /** Returns the size that a primitive claims to have, with its header, whatever `limit` is. */
  private[variant] def primitiveSize(bytes: Array[Byte], pos: Int, limit: Int, id: Int): Long = {
    if (id >= primitiveSizes.length) throw unknownType(id)
    val size = primitiveSizes(id)
    if (size > 0) size.toLong
    else {
      need(pos, limit, 5)
      5L + LittleEndian.getUnsigned(bytes, pos + 1, 4)
    }
  }

  private[variant] def truncated(size: Long, available: Int): VariantShreddedException =
    malformed(s"A value takes $size bytes where $available are left.")

  private[variant] def unexpected(expected: String, kind: Int): VariantShreddedException =
    malformed(s"Expected $expected, found ${kindName(kind)}.")

  private[variant] def unknownType(id: Int): VariantShreddedException =
    malformed(s"The primitive type $id is unknown.")

  private[variant] def malformed(reason: String): VariantShreddedException =
    VariantShreddedErrors.malformedVariant(reason)

  private[variant] def malformedAt(
      reason: String,
      location: ErrorLocation
  ): VariantShreddedException =
    VariantShreddedErrors.malformedVariant(reason, location)

  private[variant] def checkRange(bytes: Array[Byte], pos: Int, limit: Int): Unit = {
    if (pos < 0 || limit > bytes.length)
      throw malformed(s"The range from $pos to $limit is outside of ${bytes.length} bytes.")
    if (pos >= limit) throw malformed("A value has no bytes.")
  }

  private def header(bytes: Array[Byte], pos: Int, limit: Int): Int = {
    if (pos < 0 || pos >= limit || limit > bytes.length) checkRange(bytes, pos, limit)
    bytes(pos) & 0xff
  }

  private def isShort(bytes: Array[Byte], pos: Int): Boolean =
    ValueHeader.basicType(bytes(pos).toInt) == BasicShortString

  private def need(pos: Int, limit: Int, size: Int): Unit =
    if (size > limit - pos) throw truncated(size.toLong, limit - pos)

  private def expect(bytes: Array[Byte], pos: Int, limit: Int, expected: Int): Unit = {
    val found = kind(bytes, pos, limit)
    if (found != expected) throw unexpected(kindName(expected), found)
  }

  private def containerSize(bytes: Array[Byte], pos: Int, limit: Int, head: Int): Long = {
    need(pos, limit, 1 + ContainerHeader.countWidth(head))
    val dataAt =
      ContainerHeader.claimedSize(head, ContainerHeader.claimedCount(bytes, pos, head))
    if (dataAt > limit - pos) throw truncated(dataAt, limit - pos)
    val offsetWidth = ContainerHeader.offsetWidth(head)
    dataAt + LittleEndian.getUnsigned(bytes, pos + dataAt.toInt - offsetWidth, offsetWidth)
  }
}
