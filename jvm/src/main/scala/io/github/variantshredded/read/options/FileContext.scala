package io.github.variantshredded.read.options

import io.github.variantshredded.errors.ErrorLocation
import io.github.variantshredded.variant.VariantValidator

/**
 * Holds what all columns that are read from one file share: the rules for Variants, the metrics, the
 * location for errors, and the validator, whose memory grows with the values. One thread reads a
 * file.
 */
private[read] final class FileContext(
    val rules: VariantRules,
    val metrics: ReadMetrics,
    file: String
) {
  val strict: Boolean = rules.strict
  val searchesAncestors: Boolean = rules.searchesAncestors
  val asSpark: Boolean = rules.asSpark
  val maxDepth: Int = rules.maxDepth
  val validator = new VariantValidator

  /** The index in the file of the row group that is being decoded; -1 before the first. */
  var rowGroup: Int = -1

  /** Returns the location for errors: the file, and the row group if one is being decoded. */
  def here: ErrorLocation =
    ErrorLocation(file = Some(file), rowGroup = Option.when(rowGroup >= 0)(rowGroup))

  def location(column: String): ErrorLocation = here.copy(column = Some(column))
}
