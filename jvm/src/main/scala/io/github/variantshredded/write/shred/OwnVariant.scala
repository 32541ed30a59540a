package io.github.variantshredded.write.shred

import java.util.Arrays

import io.github.variantshredded.variant.{
  ArrayCursor,
  CursorStack,
  MetadataDictionary,
  ObjectCursor,
  ValueHeader
}
import io.github.variantshredded.variant.encode.{MetadataBuilder, RenamingCopy, VariantEncoder}

/**
 * Encodes a value as a Variant of its own, in one binary: a metadata dictionary with only the names
 * of this value, followed by the value with the new ids ("Parquet Layout").
 */
private[write] final class OwnVariant {
  private val names = new MetadataBuilder
  private val value = new VariantEncoder
  private val objects = new CursorStack(() => new ObjectCursor)
  private val arrays = new CursorStack(() => new ArrayCursor)

  // The ids that the value's names have in the row's dictionary, by rank.
  private var used = new Array[Long](32)
  private var usedCount = 0
  private var isUsed = new Array[Boolean](64)
  private var newIds = new Array[Int](64)

  private val renaming = new RenamingCopy(value, names) {
    override protected def newId(id: Int): Int = newIds(id)
  }

  private var out = new Array[Byte](1024)
  private var size = 0

  /** Returns the last Variant that was encoded, up to [[length]]. */
  def bytes: Array[Byte] = out

  def length: Int = size

  /**
   * Encodes the value in [pos, end).
   *
   * @param dictionary
   *   the names of the value
   */
  def encode(bytes: Array[Byte], pos: Int, end: Int, dictionary: MetadataDictionary): Unit = {
    usedCount = 0
    if (isUsed.length < dictionary.size) {
      isUsed = new Array[Boolean](dictionary.size)
      newIds = new Array[Int](dictionary.size)
    }
    collect(bytes, pos, end, dictionary)
    if (usedCount == 0) put(OwnVariant.NoNames, bytes, pos, end - pos)
    else {
      name(dictionary)
      value.reset()
      renaming.copy(bytes, pos, end)
      put(names.build(), value.buffer, 0, value.position)
    }
  }

  private def put(metadata: Array[Byte], source: Array[Byte], pos: Int, length: Int): Unit = {
    size = metadata.length + length
    if (out.length < size) out = new Array[Byte](math.max(size, out.length * 2))
    System.arraycopy(metadata, 0, out, 0, metadata.length)
    System.arraycopy(source, pos, out, metadata.length, length)
  }

  /** Collects the names in the value, with their ranks. */
  private def collect(
      bytes: Array[Byte],
      pos: Int,
      limit: Int,
      dictionary: MetadataDictionary
  ): Unit = {
    val first = bytes(pos).toInt
    if (ValueHeader.isObject(first)) {
      val cursor = objects.push().reset(bytes, pos, limit)
      var i = 0
      while (i < cursor.numFields) {
        val id = cursor.fieldId(i)
        if (!isUsed(id)) use(id, dictionary)
        collect(bytes, cursor.fieldPos(i), cursor.end, dictionary)
        i += 1
      }
      objects.pop()
    } else if (ValueHeader.isArray(first)) {
      val cursor = arrays.push().reset(bytes, pos, limit)
      var i = 0
      while (i < cursor.numElements) {
        collect(bytes, cursor.elementPos(i), cursor.end, dictionary)
        i += 1
      }
      arrays.pop()
    }
  }

  private def use(id: Int, dictionary: MetadataDictionary): Unit = {
    isUsed(id) = true
    if (usedCount == used.length) used = Arrays.copyOf(used, usedCount * 2)
    used(usedCount) = (dictionary.rank(id).toLong << 32) | id
    usedCount += 1
  }

  private def name(dictionary: MetadataDictionary): Unit = {
    Arrays.sort(used, 0, usedCount)
    names.reset()
    var i = 0
    while (i < usedCount) {
      val id = used(i).toInt
      newIds(id) = names.add(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      isUsed(id) = false
      i += 1
    }
  }
}

private object OwnVariant {
  private val NoNames = Array[Byte](1, 0, 0)
}
