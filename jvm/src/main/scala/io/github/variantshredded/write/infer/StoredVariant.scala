package io.github.variantshredded.write.infer

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.sql.catalyst.expressions.{SpecializedGetters, UnsafeRow}
import org.apache.spark.unsafe.Platform

/**
 * Reads Variants as an `UnsafeRow` stores them: the size of the value in 4 bytes of the machine's
 * byte order, the value, and the metadata.
 */
private[write] object StoredVariant {

  /** Receives the bytes of a stored Variant, which are valid during the call only. */
  trait Taker {
    def take(bytes: Array[Byte], pos: Int, length: Int): Unit
  }

  /** Passes the Variant at `ordinal`, which must not be null, to `taker`; mostly without a copy. */
  def take(data: SpecializedGetters, ordinal: Int, taker: Taker): Unit = data match {
    case row: UnsafeRow =>
      row.getBaseObject match {
        case bytes: Array[Byte] =>
          val offsetAndSize = row.getLong(ordinal)
          val start = row.getBaseOffset + (offsetAndSize >>> 32) - Platform.BYTE_ARRAY_OFFSET
          taker.take(bytes, start.toInt, offsetAndSize.toInt)
        case _ => takeCopy(row, ordinal, taker)
      }
    case other => takeCopy(other, ordinal, taker)
  }

  private def takeCopy(data: SpecializedGetters, ordinal: Int, taker: Taker): Unit = {
    val copy = data.getBinary(ordinal)
    taker.take(copy, 0, copy.length)
  }

  /**
   * Returns the size of the value of the Variant that is stored in `length` bytes from `pos` on;
   * the value begins at `pos + 4`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if the value would not fit into these bytes
   */
  def valueSize(bytes: Array[Byte], pos: Int, length: Int): Int = {
    val size =
      if (length < 4) -1 else Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + pos)
    if (size < 0 || size > length - 4)
      throw VariantShreddedErrors.malformedVariant(
        s"A row's Variant of $length bytes claims a value of $size bytes."
      )
    size
  }
}
