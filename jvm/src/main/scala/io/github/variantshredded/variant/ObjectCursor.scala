package io.github.variantshredded.variant

import java.util.Arrays

import io.github.variantshredded.variant.VariantConstants._

/** Walks through the fields of an object. */
final class ObjectCursor extends ContainerCursor {
  import ObjectCursor._

  /** Moves this cursor to the object at `pos`, which must end at or before `limit`. */
  def reset(bytes: Array[Byte], pos: Int, limit: Int): ObjectCursor = {
    loadChecked(bytes, pos, limit, BasicObject, "object")
    this
  }

  def numFields: Int = count

  /** Returns the id of the name of field `i`, which may be missing in the dictionary. */
  def fieldId(i: Int): Int = {
    if (i < 0 || i >= count)
      throw VariantReader.malformed(s"There is no field $i in an object of $count.")
    val id = LittleEndian.getUnsigned(bytes, idStart + i * idWidth, idWidth)
    if (id > Int.MaxValue) throw VariantReader.malformed(s"The field id $id is too large.")
    id.toInt
  }

  /** Returns a hash of the ids of all fields. */
  private[variantshredded] def idsHash: Int = {
    val end = idStart + count * idWidth
    var hash = idWidth.toLong
    var at = idStart
    while (at + 8 <= end) {
      hash = hash * HashFactor + LittleEndian.getLong(bytes, at)
      at += 8
    }
    while (at < end) {
      hash = hash * HashFactor + bytes(at)
      at += 1
    }
    (hash ^ hash >>> 32).toInt
  }

  /** Returns true if the ids of all fields are those in `list`, `width` bytes each. */
  private[variantshredded] def hasIds(list: Array[Byte], width: Int): Boolean =
    idWidth == width &&
      Arrays.equals(list, 0, list.length, bytes, idStart, idStart + count * idWidth)

  /** Returns a copy of the ids of all fields, [[idSize]] bytes each. */
  private[variantshredded] def copyIds: Array[Byte] =
    Arrays.copyOfRange(bytes, idStart, idStart + count * idWidth)

  /** Returns the number of bytes of an id. */
  private[variantshredded] def idSize: Int = idWidth

  /** Returns the position of the value of field `i`, which lies before [[end]]. */
  def fieldPos(i: Int): Int = childPos(i)

  /**
   * Returns the index of the field with this name, or -1.
   *
   * @param dictionary
   *   the metadata dictionary of the value
   */
  def indexOf(dictionary: MetadataDictionary, utf8: Array[Byte]): Int = {
    var i = 0
    while (i < count && !isField(i, dictionary, utf8)) i += 1
    if (i < count) i else -1
  }

  /**
   * Returns the index of the field with this id, or -1.
   *
   * @param dictionary
   *   the metadata dictionary of the value
   */
  private[variantshredded] def indexOfId(dictionary: MetadataDictionary, sought: Int): Int = {
    val size = dictionary.size
    var id = -1L
    var i = 0
    while (i < count && id != sought) {
      id = LittleEndian.getUnsigned(bytes, idStart + i * idWidth, idWidth)
      if (id >= size) dictionary.keyLength(fieldId(i)): Unit // which throws
      i += 1
    }
    if (id == sought) i - 1 else -1
  }

  private def isField(i: Int, dictionary: MetadataDictionary, utf8: Array[Byte]): Boolean = {
    val id = fieldId(i)
    dictionary.keyLength(id) == utf8.length && dictionary.isKey(id, utf8, 0, utf8.length)
  }
}

private object ObjectCursor {
  private final val HashFactor = 0x9e3779b97f4a7c15L
}
