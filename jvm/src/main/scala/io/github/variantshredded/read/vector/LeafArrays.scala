package io.github.variantshredded.read.vector

import io.github.variantshredded.spark.VectorArrays
import io.github.variantshredded.variant.Utf8
import org.apache.commons.io.output.UnsynchronizedByteArrayOutputStream
import org.apache.spark.sql.execution.vectorized.{Dictionary, WritableColumnVector}
import org.apache.spark.sql.types._

/**
 * Gives the slots of one vector as plain arrays, for loops that read many vectors per row. The
 * arrays are those of Spark's vector if it has them on the heap, otherwise copies.
 *
 * If the vector is dictionary-encoded, the arrays of values are indexed by dictionary id (see
 * [[index]]).
 */
private[read] final class LeafArrays {
  import LeafArrays._

  /** Holds 1 for each slot that is null, else 0. */
  var nulls: Array[Byte] = NoBytes

  /** The dictionary id of each slot; null if the batch is not dictionary-encoded. */
  var ids: Array[Int] = _

  var booleans: Array[Byte] = NoBytes
  var ints: Array[Int] = NoInts
  var longs: Array[Long] = NoLongs
  var floats: Array[Float] = NoFloats
  var doubles: Array[Double] = NoDoubles

  /** The lengths of strings, binaries and lists. */
  var lengths: Array[Int] = NoInts

  /** The starts of strings and binaries in [[bytes]], and of lists in the slots of the child. */
  var offsets: Array[Int] = NoInts
  var bytes: Array[Byte] = NoBytes

  private var used = 0
  private var content = Unknown
  private var identity: AnyRef = _

  def isNullAt(slot: Int): Boolean = nulls(slot) != 0

  /**
   * Returns the index of a slot in the arrays of numbers, lengths and offsets. Lists are never
   * dictionary-encoded, so theirs is the slot itself.
   */
  def index(slot: Int): Int = if (ids == null) slot else ids(slot)

  /**
   * Returns true if a string in [[bytes]] is known to be valid UTF-8: all bytes together are valid,
   * and the string neither begins nor ends within a character.
   */
  def isUtf8(start: Int, length: Int): Boolean = {
    if (content == Unknown) content = contentOfBytes
    content == Ascii ||
    (content == WellFormed && isBoundary(start) && isBoundary(start + length))
  }

  private def contentOfBytes: Int =
    if (Utf8.skipAscii(bytes, 0, used) == used) Ascii
    else if (Utf8.firstMalformed(bytes, 0, used) < 0) WellFormed
    else Other

  private def isBoundary(pos: Int): Boolean = pos >= used || (bytes(pos) & 0xc0) != 0x80

  /**
   * Loads the slots of a vector, which must not change until the next call.
   *
   * @param slots
   *   number of slots in use
   */
  def load(vector: WritableColumnVector, slots: Int): Unit = {
    if (VectorArrays.isDirect(vector)) direct(vector) else copy(vector, slots)
  }

  private def direct(vector: WritableColumnVector): Unit = {
    nulls = VectorArrays.nulls(vector)
    if (vector.hasDictionary) {
      ids = VectorArrays.ints(vector.getDictionaryIds)
      val dictionary = VectorArrays.dictionary(vector)
      val current = VectorArrays.identity(dictionary)
      if (current ne identity) {
        identity = current
        decode(vector.dataType, dictionary)
      }
    } else {
      ids = null
      identity = null
      vector.dataType match {
        case BooleanType              => booleans = VectorArrays.bytes(vector)
        case IntegerType | DateType   => ints = VectorArrays.ints(vector)
        case LongType | TimestampType => longs = VectorArrays.longs(vector)
        case FloatType                => floats = VectorArrays.floats(vector)
        case DoubleType               => doubles = VectorArrays.doubles(vector)
        case BinaryType | StringType  =>
          lengths = VectorArrays.lengths(vector)
          offsets = VectorArrays.offsets(vector)
          bytes = VectorArrays.bytes(vector.arrayData)
          used = vector.arrayData.getElementsAppended
          content = Unknown
        case _: ArrayType =>
          lengths = VectorArrays.lengths(vector)
          offsets = VectorArrays.offsets(vector)
        case _ => ()
      }
    }
  }

  private def decode(dataType: DataType, dictionary: Dictionary): Unit = {
    val size = VectorArrays.size(dictionary)
    dataType match {
      case IntegerType | DateType   => ints = Array.tabulate(size)(dictionary.decodeToInt)
      case LongType | TimestampType => longs = Array.tabulate(size)(dictionary.decodeToLong)
      case FloatType                => floats = Array.tabulate(size)(dictionary.decodeToFloat)
      case DoubleType               => doubles = Array.tabulate(size)(dictionary.decodeToDouble)
      case _                        =>
        lengths = new Array[Int](size)
        offsets = new Array[Int](size)
        val all = newStream()
        var id = 0
        while (id < size) {
          offsets(id) = all.size
          VectorArrays.write(dictionary, id, all)
          lengths(id) = all.size - offsets(id)
          id += 1
        }
        use(all)
    }
  }

  private def copy(vector: WritableColumnVector, slots: Int): Unit = {
    ids = null
    nulls = new Array[Byte](slots)
    vector.dataType match {
      case BooleanType =>
        booleans = new Array[Byte](slots)
        copyEach(vector, slots)(slot => if (vector.getBoolean(slot)) booleans(slot) = 1)
      case IntegerType | DateType =>
        ints = new Array[Int](slots)
        copyEach(vector, slots)(slot => ints(slot) = vector.getInt(slot))
      case LongType | TimestampType =>
        longs = new Array[Long](slots)
        copyEach(vector, slots)(slot => longs(slot) = vector.getLong(slot))
      case FloatType =>
        floats = new Array[Float](slots)
        copyEach(vector, slots)(slot => floats(slot) = vector.getFloat(slot))
      case DoubleType =>
        doubles = new Array[Double](slots)
        copyEach(vector, slots)(slot => doubles(slot) = vector.getDouble(slot))
      case BinaryType | StringType => copyBinaries(vector, slots)
      case _: ArrayType            =>
        lengths = new Array[Int](slots)
        offsets = new Array[Int](slots)
        copyEach(vector, slots) { slot =>
          lengths(slot) = vector.getArrayLength(slot)
          offsets(slot) = vector.getArrayOffset(slot)
        }
      case _ => copyEach(vector, slots)(_ => ())
    }
  }

  private def copyBinaries(vector: WritableColumnVector, slots: Int): Unit = {
    lengths = new Array[Int](slots)
    offsets = new Array[Int](slots)
    val all = newStream()
    copyEach(vector, slots) { slot =>
      val binary = vector.getBinary(slot)
      lengths(slot) = binary.length
      offsets(slot) = all.size
      all.write(binary, 0, binary.length)
    }
    use(all)
  }

  private def newStream() = UnsynchronizedByteArrayOutputStream.builder().get()

  private def use(all: UnsynchronizedByteArrayOutputStream): Unit = {
    bytes = all.toByteArray
    used = bytes.length
    content = Unknown
  }

  private def copyEach(vector: WritableColumnVector, slots: Int)(value: Int => Unit): Unit = {
    var slot = 0
    while (slot < slots) {
      if (vector.isNullAt(slot)) nulls(slot) = 1 else value(slot)
      slot += 1
    }
  }
}

private[read] object LeafArrays {
  private val NoBytes = Array.emptyByteArray
  private val NoInts = Array.emptyIntArray
  private val NoLongs = Array.emptyLongArray
  private val NoFloats = Array.emptyFloatArray
  private val NoDoubles = Array.emptyDoubleArray

  // The kinds of content of `bytes`.
  private final val Unknown = 0
  private final val Ascii = 1
  private final val WellFormed = 2
  private final val Other = 3
}
