package io.github.variantshredded.write.shred

import io.github.variantshredded.variant.{MetadataDictionary, VariantReader}
import io.github.variantshredded.variant.encode.VariantEncoder

/** Holds the current row, with working memory for the nodes. */
private[write] final class ShredRow {
  var bytes: Array[Byte] = Array.emptyByteArray
  var nameOf: Array[Int] = Array.emptyIntArray
  var dictionary: MetadataDictionary = MetadataDictionary.Empty
  val residuals = new VariantEncoder
  val own = new OwnVariant

  /** Returns the end of the value at `pos`, which has been validated. */
  def endOf(pos: Int, limit: Int): Int = pos + VariantReader.valueSize(bytes, pos, limit)
}
