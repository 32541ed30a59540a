package io.github.variantshredded.read.extract

import java.util.Arrays

import io.github.variantshredded.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.{
  BinarySlice,
  PositionVectors,
  PrimitiveCode,
  PrimitiveVectors
}
import io.github.variantshredded.variant.Utf8
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** Refuses a string column with bytes that are not UTF-8, in `mode=strict`. */
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

  private def checkValues(vector: WritableColumnVector, slots: Int): Unit = {
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
