package io.github.variantshredded.write.shred

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.write.column.LeafStore
import io.github.variantshredded.write.infer.StoredVariant
import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Passes a Variant column from Parquet's record consumer to the leaf columns of the file. For the
 * record consumer, the column is one leaf column of binaries, as an `UnsafeRow` stores Variants. So
 * Parquet computes the levels of Variants within structs, arrays and maps.
 *
 * @param column
 *   path of the Variant column, for errors
 * @param isDirect
 *   whether the Variants are a top-level column and are taken from the rows by [[writeColumn]];
 *   calls of the record consumer are then ignored
 */
private[write] final class VariantColumnWriter(
    shredder: Shredder,
    store: LeafStore,
    column: String,
    isDirect: Boolean
) extends ColumnWriter {

  private val taker: StoredVariant.Taker = shred(_, _, _, repetition = 0, isChecked = false)
  private val checkedTaker: StoredVariant.Taker = shred(_, _, _, repetition = 0, isChecked = true)

  /**
   * Writes the column `ordinal` directly from the bytes of a row.
   *
   * @param isChecked
   *   whether the Variant is known to be well-formed
   */
  def writeColumn(row: UnsafeRow, ordinal: Int, isChecked: Boolean): Unit =
    if (row.isNullAt(ordinal)) shredder.writeNull(0, 0)
    else StoredVariant.take(row, ordinal, if (isChecked) checkedTaker else taker)

  override def write(value: Binary, repetition: Int, definition: Int): Unit = {
    val stored = value.getBytesUnsafe
    shred(stored, 0, stored.length, repetition, isChecked = false)
  }

  private def shred(
      bytes: Array[Byte],
      pos: Int,
      length: Int,
      repetition: Int,
      isChecked: Boolean
  ): Unit = {
    store.addBytes(length)
    try {
      val split = pos + 4 + StoredVariant.valueSize(bytes, pos, length)
      shredder.write(bytes, pos + 4, split, split, pos + length, repetition, isChecked)
    } catch {
      case e: VariantShreddedException => throw e.at(ErrorLocation(column = Some(column)))
    }
  }

  override def writeNull(repetition: Int, definition: Int): Unit =
    if (!isDirect) shredder.writeNull(repetition, definition)

  override def write(value: Int, repetition: Int, definition: Int): Unit = throw unexpected()

  override def write(value: Long, repetition: Int, definition: Int): Unit = throw unexpected()

  override def write(value: Boolean, repetition: Int, definition: Int): Unit = throw unexpected()

  override def write(value: Float, repetition: Int, definition: Int): Unit = throw unexpected()

  override def write(value: Double, repetition: Int, definition: Int): Unit = throw unexpected()

  override def getBufferedSizeInMemory: Long = store.bufferedSize

  override def close(): Unit = ()

  private def unexpected() =
    new IllegalStateException(
      s"The column '$column' has Variants, and its values must be binaries here."
    )
}
