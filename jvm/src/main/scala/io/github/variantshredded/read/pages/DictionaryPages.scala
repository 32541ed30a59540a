package io.github.variantshredded.read.pages

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.parquet.bytes.{ByteBufferInputStream, BytesInput}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder

/**
 * Converts pages of dictionary ids that come after a page without them. Spark's decoder looks up
 * ids late: it takes all values of such a batch for ids, also those of the page before, whose ids
 * were never written.
 *
 * @param dictionary
 *   the values of the dictionary in plain encoding, checked by `PageCheck`; not changed
 * @param size
 *   the number of values
 * @param width
 *   bytes per value; 0 if each value is prefixed by its length
 */
private[read] final class DictionaryPages(dictionary: ByteBuffer, size: Int, width: Int) {
  import DictionaryPages._

  private lazy val bytes: Array[Byte] = {
    val copy = new Array[Byte](dictionary.remaining)
    dictionary.duplicate().get(copy)
    copy
  }

  /** The index in `bytes` where each value begins, and where the last one ends. */
  private lazy val starts: Array[Int] =
    if (width > 0) Array.tabulate(size + 1)(_ * width)
    else {
      val in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
      (0 until size).scanLeft(0)((start, _) => start + 4 + in.getInt(start)).toArray
    }

  /**
   * Returns a copy of a page with its values in plain encoding. Bytes before the values, such as
   * levels, stay the same.
   *
   * @param page
   *   the page, from the buffer's position to its limit, checked by `PageCheck`; not changed
   * @param values
   *   the index in `page` where the width of the ids stands
   * @param count
   *   the number of values that are not null
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_PARQUET_FILE` if the values take too much memory
   */
  def toPlain(page: ByteBuffer, values: Int, count: Int): ByteBuffer = {
    val plain = new ByteArrayOutputStream
    BytesInput.from(page.duplicate().limit(values)).writeAllTo(plain)
    val ids = page.duplicate().position(values)
    val idWidth = if (ids.hasRemaining) ids.get() & 0xff else 0
    val decoder =
      new RunLengthBitPackingHybridDecoder(idWidth, ByteBufferInputStream.wrap(ids))
    var i = 0
    while (i < count) {
      val id = if (idWidth == 0) 0 else decoder.readInt()
      val length = starts(id + 1) - starts(id)
      if (plain.size.toLong + length > MaxBytes) {
        throw VariantShreddedErrors.unreadableFile(
          s"A page of $count dictionary ids with values of more than $MaxBytes bytes comes after a " +
            "page without ids. Such pages cannot be read.",
          ErrorLocation()
        )
      }
      plain.write(bytes, starts(id), length)
      i += 1
    }
    ByteBuffer.wrap(plain.toByteArray)
  }
}

private object DictionaryPages {
  private final val MaxBytes = 256L << 20
}
