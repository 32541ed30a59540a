package io.github.variantshredded.write.cluster

import java.math.BigDecimal
import java.nio.charset.StandardCharsets

import scala.annotation.tailrec

import io.github.variantshredded.variant.{
  DictionaryCache,
  MetadataDictionary,
  ObjectCursor,
  VariantReader
}
import io.github.variantshredded.variant.VariantConstants._

/**
 * Writes the values at paths of one column as keys: bytes whose unsigned order is that of the
 * values.
 *
 * The order over all types is: missing, Variant null, Booleans (false first), numbers of all types,
 * dates, timestamps, timestamps without time zone, times, strings by their UTF-8 bytes, binaries,
 * UUIDs, objects and arrays. Timestamps in microseconds and in nanoseconds are compared by value.
 * All objects are equal, and so are all arrays. Numbers are ordered by the nearest double; numbers
 * with the same nearest double are ordered by the difference, also as a double. NaN is the last,
 * and -0.0 equals 0.0. Of strings and binaries, the first [[SortKeys.MaxContent]] bytes are
 * compared.
 */
private[cluster] final class SortKeys(paths: Vector[Vector[String]]) {
  import SortKeys._

  private val names: Array[Array[Array[Byte]]] =
    paths.map(_.map(_.getBytes(StandardCharsets.UTF_8)).toArray).toArray
  private val dictionaries = new DictionaryCache[MetadataDictionary](identity)
  private val cursor = new ObjectCursor
  private var found = false

  /** Returns whether a row had a value at one of the paths. */
  def hasFound: Boolean = found

  /** Appends the keys of a Variant, for all paths. */
  def append(variant: VariantInRow, key: KeyBytes): Unit = {
    val dictionary = dictionaries.get(variant.bytes, variant.valueEnd, variant.metadataLength)
    var i = 0
    while (i < names.length) {
      append(variant.bytes, variant.valuePos, variant.valueEnd, dictionary, names(i), 0, key)
      i += 1
    }
  }

  /** Appends the keys of a row in which the column is SQL NULL. */
  def appendMissing(key: KeyBytes): Unit = names.foreach(_ => key.add(Rank.Missing))

  @tailrec
  private def append(
      bytes: Array[Byte],
      pos: Int,
      end: Int,
      dictionary: MetadataDictionary,
      path: Array[Array[Byte]],
      depth: Int,
      key: KeyBytes
  ): Unit =
    if (depth == path.length) {
      found = true
      appendValue(bytes, pos, end, key)
    } else if (VariantReader.kind(bytes, pos, end) != VariantReader.ObjectKind)
      key.add(Rank.Missing)
    else {
      cursor.reset(bytes, pos, end)
      val field = cursor.indexOf(dictionary, path(depth))
      if (field < 0) key.add(Rank.Missing)
      else
        append(bytes, cursor.fieldPos(field), cursor.end, dictionary, path, depth + 1, key)
    }

  private def appendValue(bytes: Array[Byte], pos: Int, end: Int, key: KeyBytes): Unit = {
    def count: Long = VariantReader.getLong(bytes, pos, end)
    VariantReader.kind(bytes, pos, end) match {
      case Null                         => key.add(Rank.Null)
      case False                        => key.add(Rank.False)
      case True                         => key.add(Rank.True)
      case Int8 | Int16 | Int32 | Int64 =>
        key.add(Rank.Number)
        appendWhole(count, key)
      case Double =>
        key.add(Rank.Number)
        appendReal(VariantReader.getDouble(bytes, pos, end), key)
      case Float =>
        key.add(Rank.Number)
        appendReal(VariantReader.getFloat(bytes, pos, end).toDouble, key)
      case Decimal4 | Decimal8 | Decimal16 =>
        key.add(Rank.Number)
        appendDecimal(VariantReader.getDecimal(bytes, pos, end), key)
      case Date               => appendCount(Rank.Date, count, key)
      case TimestampMicros    => appendTime(Rank.Timestamp, count, key)
      case TimestampNanos     => appendNanos(Rank.Timestamp, count, key)
      case TimestampNtzMicros => appendTime(Rank.TimestampNtz, count, key)
      case TimestampNtzNanos  => appendNanos(Rank.TimestampNtz, count, key)
      case TimeNtzMicros      => appendCount(Rank.Time, count, key)
      case LongString         => appendContent(Rank.Text, bytes, pos, end, key)
      case Binary             => appendContent(Rank.Binary, bytes, pos, end, key)
      case Uuid               =>
        key.add(Rank.Uuid)
        key.addLong(VariantReader.getUuidHigh(bytes, pos, end))
        key.addLong(VariantReader.getUuidLow(bytes, pos, end))
      case VariantReader.ObjectKind => key.add(Rank.Object)
      case _                        => key.add(Rank.Array)
    }
  }

  private def appendCount(rank: Int, count: Long, key: KeyBytes): Unit = {
    key.add(rank)
    key.addLong(count ^ Long.MinValue)
  }

  // Microseconds, then nanoseconds within the microsecond.
  private def appendTime(rank: Int, micros: Long, key: KeyBytes): Unit = {
    appendCount(rank, micros, key)
    key.addLong(0)
  }

  private def appendNanos(rank: Int, nanos: Long, key: KeyBytes): Unit = {
    appendCount(rank, Math.floorDiv(nanos, 1000L), key)
    key.addLong(Math.floorMod(nanos, 1000L))
  }

  private def appendWhole(number: Long, key: KeyBytes): Unit = {
    val near = number.toDouble
    addDouble(near, key)
    // The largest longs are closest to 2^63^, which is not a long.
    val left = if (near == TwoTo63) (number - Long.MaxValue) - 1 else number - near.toLong
    addDouble(left.toDouble, key)
  }

  private def appendReal(number: Double, key: KeyBytes): Unit = {
    addDouble(number, key)
    addDouble(0, key)
  }

  private def appendDecimal(number: BigDecimal, key: KeyBytes): Unit = {
    val near = number.doubleValue
    addDouble(near, key)
    addDouble(number.subtract(new BigDecimal(near)).doubleValue, key)
  }

  private def addDouble(number: Double, key: KeyBytes): Unit = {
    val bits = java.lang.Double.doubleToLongBits(if (number == 0.0) 0.0 else number)
    key.addLong(if (bits < 0) ~bits else bits ^ Long.MinValue)
  }

  // A zero byte in the content is followed by FF, the one at its end by 00: so prefixes come first.
  private def appendContent(
      rank: Int,
      bytes: Array[Byte],
      pos: Int,
      end: Int,
      key: KeyBytes
  ): Unit = {
    key.add(rank)
    val start = VariantReader.contentStart(bytes, pos, end)
    val length = math.min(VariantReader.contentLength(bytes, pos, end), MaxContent)
    var i = start
    while (i < start + length) {
      key.add(bytes(i))
      if (bytes(i) == 0) key.add(0xff)
      i += 1
    }
    key.add(0)
    key.add(0)
  }
}

private[cluster] object SortKeys {

  /** Number of bytes of a string or binary that are compared. */
  final val MaxContent = 256

  private final val TwoTo63 = 9.223372036854775807e18

  /** Defines the first byte of a key. */
  private object Rank {
    final val Missing = 0
    final val Null = 1
    final val False = 2
    final val True = 3
    final val Number = 4
    final val Date = 5
    final val Timestamp = 6
    final val TimestampNtz = 7
    final val Time = 8
    final val Text = 9
    final val Binary = 10
    final val Uuid = 11
    final val Object = 12
    final val Array = 13
  }
}
