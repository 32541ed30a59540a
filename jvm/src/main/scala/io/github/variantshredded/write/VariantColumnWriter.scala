package io.github.variantshredded.write

import io.github.variantshredded.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.write.column.LeafStore
import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.io.api.Binary

/**
 * A Variant column as Parquet's record consumer sees it: one leaf of binaries, as an `UnsafeRow`
 * stores Variants. So the levels at which Variants stand, in structs, arrays and maps, are found by
 * Parquet; here each goes on to the leaf columns that the file has in that leaf's place.
 *
 * @param column
 *   the Variant's path, for errors
 */
private[write] final class VariantColumnWriter(
    shredder: Shredder,
    store: LeafStore,
    column: String
) extends ColumnWriter {

  override def write(value: Binary, repetition: Int, definition: Int): Unit = {
    val stored = value.getBytesUnsafe
    store.addBytes(stored.length)
    try {
      val size = StoredVariant.valueSize(stored)
      shredder.write(stored, 4, 4 + size, 4 + size, stored.length, repetition)
    } catch {
      case e: VariantShreddedException => throw e.at(ErrorLocation(column = Some(column)))
    }
  }

  override def writeNull(repetition: Int, definition: Int): Unit =
    shredder.writeNull(repetition, definition)

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
