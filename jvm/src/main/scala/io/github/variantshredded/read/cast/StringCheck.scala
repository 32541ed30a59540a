package io.github.variantshredded.read.cast

import java.util.Arrays

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.{
  BinarySlice,
  PositionVectors,
  PrimitiveCode,
  PrimitiveVectors
}
import io.github.variantshredded.spark.VectorArrays
import io.github.variantshredded.variant.Utf8
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Refuses a string column with bytes that are not UTF-8, in `validation=strict`. */
private[read] final class StringCheck(position: PositionVectors, strict: Boolean) {
  private val isString = position.typed match {
    case primitive: PrimitiveVectors => primitive.code == PrimitiveCode.String
    case _                           => false
  }
  private val slice = new BinarySlice
  private var checkedIds = new Array[Boolean](0)

  /** Called once a row group: dictionary ids are of one column chunk. */
  def startRowGroup(): Unit = Arrays.fill(checkedIds, false)

  def check(vector: WritableColumnVector, slots: Int): Unit = if (strict && isString) {
    if (vector.hasDictionary) checkEntries(vector, slots) else checkValues(vector, slots)
  }

  /** Each entry of the dictionary once. */
  private def checkEntries(vector: WritableColumnVector, slots: Int): Unit = {
    val ids = vector.getDictionaryIds
    var slot = 0
    while (slot < slots) {
      if (!vector.isNullAt(slot)) {
        val id = ids.getDictId(slot)
        if (id < 0 || id >= checkedIds.length || !checkedIds(id)) {
          // An id that is in no dictionary fails here.
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
   * Whether all values are UTF-8, seen at once: the bytes of all of them together are, and none
   * begins within a character. (They lie one behind the other.)
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
