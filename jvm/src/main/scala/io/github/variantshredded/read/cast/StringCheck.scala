package io.github.variantshredded.read.cast

import java.util.Arrays

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.{PositionVectors, PrimitiveCode, PrimitiveVectors}
import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.spark.VectorArrays
import io.github.variantshredded.variant.Utf8
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Refuses, in `validation=strict`, a string column whose bytes are not valid UTF-8. */
private[read] final class StringCheck(position: PositionVectors, strict: Boolean) {
  private val isString = position.typed match {
    case primitive: PrimitiveVectors => primitive.code == PrimitiveCode.String
    case _                           => false
  }
  private val slice = new BinarySlice
  private var checkedIds = new Array[Boolean](0)

  /** Prepares for a row group. Dictionary ids are valid only within one column chunk. */
  def startRowGroup(): Unit = Arrays.fill(checkedIds, false)

  def check(vector: WritableColumnVector, slots: Int): Unit = if (strict && isString) {
    if (vector.hasDictionary) checkEntries(vector, slots) else checkValues(vector, slots)
  }

  /** Checks each entry of the dictionary page that occurs in the batch, once per row group. */
  private def checkEntries(vector: WritableColumnVector, slots: Int): Unit = {
    val ids = vector.getDictionaryIds
    var slot = 0
    while (slot < slots) {
      if (!vector.isNullAt(slot)) {
        val id = ids.getDictId(slot)
        if (id < 0 || id >= checkedIds.length || !checkedIds(id)) {
          // This call fails for an id that is not in the dictionary.
          checkValue(vector, slot)
          if (id >= checkedIds.length) {
            checkedIds = Arrays.copyOf(checkedIds, math.max(id + 1, checkedIds.length * 2))
          }
          checkedIds(id) = true
        }
      }
      slot += 1
    }
  }

  private def checkValues(vector: WritableColumnVector, slots: Int): Unit =
    if (!VectorArrays.isDirect(vector) || !isUtf8(vector, slots)) checkEach(vector, slots)

  /**
   * Returns true if all values are valid UTF-8. It checks them together: their adjacent bytes must
   * be valid UTF-8 as a whole, and no value may begin within a character.
   */
  private def isUtf8(vector: WritableColumnVector, slots: Int): Boolean = {
    val used = vector.arrayData.getElementsAppended
    val bytes = VectorArrays.bytes(vector.arrayData)
    Utf8.skipAscii(bytes, 0, used) == used ||
    (Utf8.firstMalformed(bytes, 0, used) < 0 && {
      val offsets = VectorArrays.offsets(vector)
      var slot = 0
      while (
        slot < slots && (vector.isNullAt(slot) || offsets(slot) >= used ||
          (bytes(offsets(slot)) & 0xc0) != 0x80)
      ) slot += 1
      slot == slots
    })
  }

  private def checkEach(vector: WritableColumnVector, slots: Int): Unit = {
    var slot = 0
    while (slot < slots) {
      if (!vector.isNullAt(slot)) checkValue(vector, slot)
      slot += 1
    }
  }

  private def checkValue(vector: WritableColumnVector, slot: Int): Unit = {
    slice.read(vector, slot)
    if (Utf8.firstMalformed(slice.bytes, slice.start, slice.end) >= 0) {
      throw VariantShreddedErrors.invalidShreddedValue(
        "'typed_value' (a string) is not valid UTF-8.",
        ErrorLocation(path = Some(position.position.path))
      )
    }
  }
}
