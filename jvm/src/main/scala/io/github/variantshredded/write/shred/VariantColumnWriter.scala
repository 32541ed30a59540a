package io.github.variantshredded.write.shred

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.write.column.LeafStore
import io.github.variantshredded.write.infer.StoredVariant
import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * A Variant column as Parquet's record consumer sees it: one leaf of binaries, as an `UnsafeRow`
 * stores Variants. So the levels at which Variants stand, in structs, arrays and maps, are found by
 * Parquet; here each goes on to the leaf columns that the file has in that leaf's place.
 *
 * @param column
 *   the Variant's path, for errors
 * @param isDirect
 *   whether the Variants, which are a column of the table, are taken from the rows by
 *   [[writeColumn]], and what the record consumer says is left aside
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
   * Writes the column `ordinal` of a row, as it lies there.
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
    new IllegalStateException(s"The column '$column' holds Variants, which are binaries here.")
}
