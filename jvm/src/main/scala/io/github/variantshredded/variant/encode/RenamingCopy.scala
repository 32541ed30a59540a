package io.github.variantshredded.variant.encode

import io.github.variantshredded.variant.{
  ArrayCursor,
  CursorStack,
  KeyNames,
  ObjectCursor,
  VariantConstants,
  VariantReader
}

/**
 * Copies values to an encoder whose field names have other ids.
 *
 * @param names
 *   the names of the encoder's ids
 */
private[variantshredded] abstract class RenamingCopy(
    encoder: VariantEncoder,
    names: KeyNames,
    maxDepth: Int = VariantConstants.DefaultMaxDepth
) {
  private val objects = new CursorStack(() => new ObjectCursor)
  private val arrays = new CursorStack(() => new ArrayCursor)

  /** Returns the encoder's id of the name that has the id `id` in the copied value. */
  protected def newId(id: Int): Int

  /**
   * Copies the value at `pos`. Of the rules for values, only those are checked that the copy depends
   * on: sizes, offsets, ids, the depth, and that no object has two fields of one name.
   *
   * @param depth
   *   number of containers around the value
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT`
   */
  final def copy(bytes: Array[Byte], pos: Int, limit: Int, depth: Int = 0): Unit = {
    val basic = VariantReader.basicType(bytes, pos, limit)
    if (basic == VariantConstants.BasicObject || basic == VariantConstants.BasicArray)
      checkDepth(depth)
    if (basic == VariantConstants.BasicObject) {
      val cursor = objects.push().reset(bytes, pos, limit)
      encoder.beginObject()
      var i = 0
      while (i < cursor.numFields) {
        encoder.field(newId(cursor.fieldId(i)))
        copy(bytes, cursor.fieldPos(i), cursor.end, depth + 1)
        i += 1
      }
      encoder.endObject(names)
      objects.pop()
    } else if (basic == VariantConstants.BasicArray) {
      val cursor = arrays.push().reset(bytes, pos, limit)
      encoder.beginArray()
      var i = 0
      while (i < cursor.numElements) {
        copy(bytes, cursor.elementPos(i), cursor.end, depth + 1)
        i += 1
      }
      encoder.endArray()
      arrays.pop()
    } else encoder.writeEncoded(bytes, pos, VariantReader.valueSize(bytes, pos, limit))
  }

  private def checkDepth(depth: Int): Unit =
    if (depth >= maxDepth)
      throw VariantReader.malformed(s"The value is nested deeper than $maxDepth.")

  /** Makes this object usable again after a copy that may have ended in an error. */
  final def reset(): Unit = {
    objects.clear()
    arrays.clear()
  }
}
