package io.github.variantshredded.read.options

import io.github.variantshredded.errors.ErrorLocation

/** What the Variants of one file share, beside their columns. */
private[read] final class VariantContext(
    val strict: Boolean,
    val maxDepth: Int,
    val metrics: ReadMetrics,
    file: String
) {

  /** Row group being decoded, from 0 within the file. */
  var rowGroup: Int = -1

  /** The file, and the row group if one is being decoded. */
  def here: ErrorLocation =
    ErrorLocation(file = Some(file), rowGroup = Option.when(rowGroup >= 0)(rowGroup))

  def location(column: String): ErrorLocation = here.copy(column = Some(column))
}
