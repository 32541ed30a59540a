package io.github.variantshredded.variant

import java.math.BigDecimal

import io.github.variantshredded.variant.VariantConstants._
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/**
 * Computes a hash of the meaning of a Variant: values with the same meaning have the same hash,
 * however they are encoded.
 *
 * The hash does not depend on the order of an object's fields, the order of names in the
 * dictionary, the widths of lengths and offsets, and the form of a string. Exact numbers are
 * compared by value: integers and decimals of any width and scale are one class ("Encoding types":
 * equivalence class). Floats, doubles, times in microseconds and times in nanoseconds are classes
 * of their own. All NaNs are equal.
 *
 * One instance serves one thread.
 */
private[variantshredded] final class VariantMeaning {
  import VariantMeaning._

  private val validator = new VariantValidator
  private val dictionaries = new DictionaryCache[NameHashes](new NameHashes(_))
  private var bytes = Array.emptyByteArray
  private var names = Array.emptyLongArray
  private val objects = new CursorStack(() => new ObjectCursor)
  private val arrays = new CursorStack(() => new ArrayCursor)

  /**
   * Returns the hash of one value.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT`
   */
  def hash(value: Array[Byte], metadata: Array[Byte]): Long = {
    val known = dictionaries.get(metadata, 0, metadata.length)
    validator.check(value, 0, value.length, known.dictionary, MaxDepth)
    names = known.hashes
    bytes = value
    of(0, value.length)
  }

  private def of(pos: Int, limit: Int): Long =
    VariantReader.kind(bytes, pos, limit) match {
      case VariantReader.ObjectKind => ofObject(pos, limit)
      case VariantReader.ArrayKind  => ofArray(pos, limit)
      case kind                     => ofPrimitive(kind, pos, limit)
    }

  // A method of its own, so that a level of a deep value takes few bytes of the stack.
  private def ofPrimitive(kind: Int, pos: Int, limit: Int): Long =
    kind match {
      case Null                         => XXH64.hashInt(0, NullSeed)
      case True                         => XXH64.hashInt(1, BooleanSeed)
      case False                        => XXH64.hashInt(0, BooleanSeed)
      case Int8 | Int16 | Int32 | Int64 => ofExact(VariantReader.getLong(bytes, pos, limit), 0)
      case Decimal4 | Decimal8          =>
        ofExact(
          VariantReader.getUnscaledLong(bytes, pos, limit),
          VariantReader.getDecimalScale(bytes, pos, limit)
        )
      case Decimal16 => ofExact(VariantReader.getDecimal(bytes, pos, limit))
      // `doubleToLongBits` and `floatToIntBits` return the same bits for all NaNs.
      case Double =>
        val number = VariantReader.getDouble(bytes, pos, limit)
        XXH64.hashLong(java.lang.Double.doubleToLongBits(number), Double.toLong)
      case Float =>
        val number = VariantReader.getFloat(bytes, pos, limit)
        XXH64.hashInt(java.lang.Float.floatToIntBits(number), Float.toLong)
      case LongString | Binary =>
        val start = VariantReader.contentStart(bytes, pos, limit)
        ofBytes(bytes, start, VariantReader.contentLength(bytes, pos, limit), kind.toLong)
      case Uuid =>
        val high = XXH64.hashLong(VariantReader.getUuidHigh(bytes, pos, limit), Uuid.toLong)
        XXH64.hashLong(VariantReader.getUuidLow(bytes, pos, limit), high)
      case _ => XXH64.hashLong(VariantReader.getLong(bytes, pos, limit), kind.toLong)
    }

  private def ofObject(pos: Int, limit: Int): Long = {
    val fields = objects.push().reset(bytes, pos, limit)
    // A sum, because it does not depend on the order.
    var sum = 0L
    var i = 0
    while (i < fields.numFields) {
      val name = names(fields.fieldId(i))
      sum += XXH64.hashLong(of(fields.fieldPos(i), fields.end), name)
      i += 1
    }
    objects.pop()
    XXH64.hashLong(sum, XXH64.hashInt(fields.numFields, ObjectSeed))
  }

  private def ofArray(pos: Int, limit: Int): Long = {
    val elements = arrays.push().reset(bytes, pos, limit)
    var all = XXH64.hashInt(elements.numElements, ArraySeed)
    var i = 0
    while (i < elements.numElements) {
      all = XXH64.hashLong(of(elements.elementPos(i), elements.end), all)
      i += 1
    }
    arrays.pop()
    all
  }
}

private[variantshredded] object VariantMeaning {
  // The seeds of the primitive types are their ids, below 64.
  private final val NullSeed = 64L
  private final val BooleanSeed = 65L
  private final val ExactSeed = 66L
  private final val ObjectSeed = 67L
  private final val ArraySeed = 68L
  private final val NameSeed = 69L

  /** The greatest depth that the option `maxDepth` allows. */
  private final val MaxDepth = 1000

  /** Caches the hashes of a dictionary's names, by id. */
  private final class NameHashes(val dictionary: MetadataDictionary) {
    val hashes: Array[Long] = Array.tabulate(dictionary.size) { id =>
      ofBytes(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id), NameSeed)
    }
  }

  /** Returns the hash of `unscaled / 10^scale`. */
  def ofExact(unscaled: Long, scale: Int): Long =
    if (unscaled == 0) exact(0, 0)
    else {
      var number = unscaled
      var digits = scale
      while (number % 10 == 0) {
        number /= 10
        digits -= 1
      }
      exact(number, digits)
    }

  def ofExact(number: BigDecimal): Long = {
    val short = number.stripTrailingZeros
    val unscaled = short.unscaledValue
    if (unscaled.signum == 0) exact(0, 0)
    else if (unscaled.bitLength < 64) exact(unscaled.longValue, short.scale)
    else {
      val magnitude = unscaled.toByteArray
      ofBytes(magnitude, 0, magnitude.length, XXH64.hashInt(short.scale, ExactSeed))
    }
  }

  private def exact(unscaled: Long, scale: Int): Long =
    XXH64.hashLong(unscaled, XXH64.hashInt(scale, ExactSeed))

  def ofBytes(bytes: Array[Byte], pos: Int, length: Int, seed: Long): Long =
    XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + pos, length, seed)
}
