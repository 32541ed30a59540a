package io.github.variantshredded.read.inspect

import io.github.variantshredded.shredding.layout.Layout

/**
 * Identifies a leaf column with residual values.
 *
 * @param layout
 *   the layout; in `overview`, each value is preceded by its own metadata
 */
private[inspect] final case class ResidualLeaf(leaf: Seq[String], layout: Layout)
