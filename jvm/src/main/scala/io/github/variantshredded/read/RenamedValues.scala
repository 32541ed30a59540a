package io.github.variantshredded.read

import io.github.variantshredded.variant.{ArrayCursor, ObjectCursor, VariantConstants, VariantReader}

/**
 * Writes values that are encoded already, with other ids for the names of their fields. Values have
 * been validated; like everything in the buffer they are written from their ends.
 */
private[read] final class RenamedValues(buffer: ReverseBuffer, entries: ContainerEntries) {

  // A container that is being written has its cursor.
  private var objects = Array.fill(8)(new ObjectCursor)
  private var arrays = Array.fill(8)(new ArrayCursor)
  private var depth = 0

  /**
   * @param renaming
   *   for each id the new one; null if they stay
   */
  def put(bytes: Array[Byte], start: Int, end: Int, renaming: Array[Int]): Unit =
    if (renaming == null) buffer.putBytes(bytes, start, end - start)
    else {
      depth = 0
      rename(bytes, start, end, renaming)
    }

  private def rename(bytes: Array[Byte], start: Int, limit: Int, renaming: Array[Int]): Unit = {
    val basic = bytes(start) & 3
    if (basic == VariantConstants.BasicObject) {
      val cursor = nextObject().reset(bytes, start, limit)
      val base = entries.count
      val end = buffer.used
      var i = cursor.numFields - 1
      while (i >= 0) {
        rename(bytes, cursor.fieldPos(i), cursor.end, renaming)
        entries.add(renaming(cursor.fieldId(i)))
        i -= 1
      }
      depth -= 1
      entries.closeObject(base, end)
    } else if (basic == VariantConstants.BasicArray) {
      val cursor = nextArray().reset(bytes, start, limit)
      val base = entries.count
      val end = buffer.used
      var i = cursor.numElements - 1
      while (i >= 0) {
        rename(bytes, cursor.elementPos(i), cursor.end, renaming)
        entries.add(0)
        i -= 1
      }
      depth -= 1
      entries.closeArray(base, end)
    } else {
      buffer.putBytes(bytes, start, VariantReader.valueSize(bytes, start, limit))
    }
  }

  private def nextObject(): ObjectCursor = {
    if (depth == objects.length) objects = objects ++ Array.fill(depth)(new ObjectCursor)
    depth += 1
    objects(depth - 1)
  }

  private def nextArray(): ArrayCursor = {
    if (depth == arrays.length) arrays = arrays ++ Array.fill(depth)(new ArrayCursor)
    depth += 1
    arrays(depth - 1)
  }
}
