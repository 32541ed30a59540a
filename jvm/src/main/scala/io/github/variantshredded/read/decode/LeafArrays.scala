package io.github.variantshredded.read.decode

import java.io.ByteArrayOutputStream

import io.github.variantshredded.spark.VectorArrays
import io.github.variantshredded.variant.Utf8
import org.apache.spark.sql.execution.vectorized.{Dictionary, WritableColumnVector}
import org.apache.spark.sql.types._

/**
 * The slots of one vector as plain arrays, for loops that look at many vectors a row: Spark's own
 * arrays where they can be had, copies of them otherwise.
 *
 * Where the column is dictionary-encoded, the values lie in their arrays by dictionary id, see
 * [[place]].
 */
private[read] final class LeafArrays {
  import LeafArrays._

  /** 1 where a slot is null, else 0. */
  var nulls: Array[Byte] = NoBytes

  /** Dictionary ids by slot; null where the batch is not dictionary-encoded. */
  var ids: Array[Int] = _

  var booleans: Array[Byte] = NoBytes
  var ints: Array[Int] = NoInts
  var longs: Array[Long] = NoLongs
  var floats: Array[Float] = NoFloats
  var doubles: Array[Double] = NoDoubles

  /** Of strings, binaries and lists, by slot. */
  var lengths: Array[Int] = NoInts

  /** Starts of strings and binaries in [[bytes]], of lists in the child's slots. */
  var offsets: Array[Int] = NoInts
  var bytes: Array[Byte] = NoBytes

  private var used = 0
  private var content = Unknown
  private var identity: AnyRef = _

  def isNullAt(slot: Int): Boolean = nulls(slot) != 0

  /** Where in their arrays number, length and offset of a slot are; lists have theirs by slot. */
  def place(slot: Int): Int = if (ids == null) slot else ids(slot)

  /**
   * Whether a string in [[bytes]] is certainly UTF-8: all strings together are, and it neither
   * begins nor ends within a character.
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
   * Takes over the slots of a vector, which must stay as they are until the next call.
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
        val all = new OpenBytes
        var id = 0
        while (id < size) {
          offsets(id) = all.size
          VectorArrays.write(dictionary, id, all)
          lengths(id) = all.size - offsets(id)
          id += 1
        }
        bytes = all.array
        used = all.size
        content = Unknown
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
    val all = new OpenBytes
    copyEach(vector, slots) { slot =>
      val binary = vector.getBinary(slot)
      lengths(slot) = binary.length
      offsets(slot) = all.size
      all.write(binary, 0, binary.length)
    }
    bytes = all.array
    used = all.size
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

  // What is known of the bytes of strings.
  private final val Unknown = 0
  private final val Ascii = 1
  private final val WellFormed = 2
  private final val Other = 3

  /** Gives its array away instead of a copy. */
  private final class OpenBytes extends ByteArrayOutputStream {
    def array: Array[Byte] = buf
  }
}
