package io.github.variantshredded.read.rebuild

import io.github.variantshredded.variant.{
  ArrayCursor,
  CursorStack,
  ObjectCursor,
  ValueHeader,
  VariantReader
}

/**
 * Writes validated Variant values, with new ids for the names of their fields. Like everything in
 * the buffer, they are written backwards.
 */
private[read] final class RenamedValues(buffer: ReverseBuffer, entries: ContainerEntries) {

  // Each container that is being written needs a cursor of its own.
  private val objects = new CursorStack(() => new ObjectCursor)
  private val arrays = new CursorStack(() => new ArrayCursor)

  /**
   * Writes the value in `[start, end)`.
   *
   * @param renaming
   *   for each field id in the value, the new id; null if the ids stay the same
   */
  def put(bytes: Array[Byte], start: Int, end: Int, renaming: Array[Int]): Unit =
    if (renaming == null) buffer.putBytes(bytes, start, end - start)
    else {
      objects.clear()
      arrays.clear()
      rename(bytes, start, end, renaming)
    }

  private def rename(bytes: Array[Byte], start: Int, limit: Int, renaming: Array[Int]): Unit = {
    val first = bytes(start).toInt
    if (ValueHeader.isObject(first)) {
      val cursor = objects.push().reset(bytes, start, limit)
      val base = entries.count
      val end = buffer.used
      var i = cursor.numFields - 1
      while (i >= 0) {
        rename(bytes, cursor.fieldPos(i), cursor.end, renaming)
        entries.add(renaming(cursor.fieldId(i)))
        i -= 1
      }
      objects.pop()
      entries.closeObject(base, end)
    } else if (ValueHeader.isArray(first)) {
      val cursor = arrays.push().reset(bytes, start, limit)
      val base = entries.count
      val end = buffer.used
      var i = cursor.numElements - 1
      while (i >= 0) {
        rename(bytes, cursor.elementPos(i), cursor.end, renaming)
        entries.add(0)
        i -= 1
      }
      arrays.pop()
      entries.closeArray(base, end)
    } else {
      buffer.putBytes(bytes, start, VariantReader.valueSize(bytes, start, limit))
    }
  }
}
