package io.github.variantshredded.read.options

import io.github.variantshredded.errors.ErrorLocation

/**
 * Holds what the Variant columns of one file share: the reading mode, limits, metrics and the
 * location for errors.
 */
private[read] final class VariantContext(
    options: ReadSettings,
    val metrics: ReadMetrics,
    file: String
) {
  val strict: Boolean = options.strict
  val searchesAncestors: Boolean = options.searchesAncestors
  val maxDepth: Int = options.maxDepth

  /** The index in the file of the row group that is being decoded; -1 before the first. */
  var rowGroup: Int = -1

  /** Returns the location for errors: the file, and the row group if one is being decoded. */
  def here: ErrorLocation =
    ErrorLocation(file = Some(file), rowGroup = Option.when(rowGroup >= 0)(rowGroup))

  def location(column: String): ErrorLocation = here.copy(column = Some(column))
}
