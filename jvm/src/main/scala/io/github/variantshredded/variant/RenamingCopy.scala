package io.github.variantshredded.variant

/**
 * Copies values to an encoder whose field names have other ids.
 *
 * @param names
 *   the names of the encoder's ids
 */
private[variantshredded] abstract class RenamingCopy(encoder: VariantEncoder, names: KeyNames) {
  private val objects = new CursorStack(() => new ObjectCursor)
  private val arrays = new CursorStack(() => new ArrayCursor)

  /** Returns the encoder's id of the name that has the id `id` in the copied value. */
  protected def newId(id: Int): Int

  /** Copies the value at `pos`, which must have been validated. */
  final def copy(bytes: Array[Byte], pos: Int, limit: Int): Unit = {
    val basic = bytes(pos) & 3
    if (basic == VariantConstants.BasicObject) {
      val cursor = objects.push().reset(bytes, pos, limit)
      encoder.beginObject()
      var i = 0
      while (i < cursor.numFields) {
        encoder.field(newId(cursor.fieldId(i)))
        copy(bytes, cursor.fieldPos(i), cursor.end)
        i += 1
      }
      encoder.endObject(names)
      objects.pop()
    } else if (basic == VariantConstants.BasicArray) {
      val cursor = arrays.push().reset(bytes, pos, limit)
      encoder.beginArray()
      var i = 0
      while (i < cursor.numElements) {
        copy(bytes, cursor.elementPos(i), cursor.end)
        i += 1
      }
      encoder.endArray()
      arrays.pop()
    } else encoder.writeEncoded(bytes, pos, VariantReader.valueSize(bytes, pos, limit))
  }

  /** Makes this object usable again after a copy that may have ended in an error. */
  final def reset(): Unit = {
    objects.clear()
    arrays.clear()
  }
}
