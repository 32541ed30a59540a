package io.github.variantshredded.read.pages.check

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}

/**
 * Limits the memory that Spark's decoders of delta-encoded byte arrays allocate for the lengths of a
 * page's values. They allocate some 19 bytes for each value that the page claims, nulls included,
 * and a few bytes can encode many nulls or many equal lengths.
 */
private[pages] object DeltaLengths {

  /** The maximum number of values, nulls included, in a page that Spark decodes. */
  private final val MaxValues = 1 << 24

  /** The number of values up to which a page is left to Spark, whatever they are. */
  private final val FewValues = 1 << 20

  /**
   * Returns true if a page has many values, but few that are not null. Such a page is converted to
   * plain encoding.
   *
   * @param present
   *   the number of values that are not null
   * @param count
   *   the number of values, nulls included
   */
  def isSparse(present: Int, count: Int): Boolean =
    count > FewValues && present <= math.min(FewValues, count / 4)

  /**
   * Checks the numbers of a page that Spark decodes.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_PARQUET_FILE` if decoding the page takes too much memory
   */
  def check(count: Int): Unit = if (count > MaxValues) {
    throw VariantShreddedErrors.unreadableFile(
      s"A page has $count values in a delta encoding of byte arrays. Pages with more than " +
        s"$MaxValues of them, nulls included, cannot be read.",
      ErrorLocation()
    )
  }
}
