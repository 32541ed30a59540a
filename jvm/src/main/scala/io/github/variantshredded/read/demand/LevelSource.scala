package io.github.variantshredded.read.demand

import io.github.variantshredded.shredding.layout.{TypedValue, VariantLeaf}

/**
 * Names the leaf column or list whose definition levels say in which rows a group above it is
 * present.
 */
private[read] sealed trait LevelSource

private[read] object LevelSource {

  /** Says that a leaf column outside of lists has the levels. */
  final case class OfLeaf(leaf: VariantLeaf) extends LevelSource

  /** Says that a list has the levels; Spark decodes them in any case. */
  final case class OfList(list: TypedValue.ListGroup) extends LevelSource
}
