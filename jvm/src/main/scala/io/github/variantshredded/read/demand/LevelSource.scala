package io.github.variantshredded.read.demand

import io.github.variantshredded.shredding.layout.{TypedValue, VariantLeaf}

/**
 * Names the leaf column or list whose definition levels say in which rows a group above it is
 * present.
 */
private[read] sealed trait LevelSource

private[read] object LevelSource {

  /** A leaf column outside of lists. */
  final case class OfLeaf(leaf: VariantLeaf) extends LevelSource

  /** A list, whose levels Spark decodes in any case. */
  final case class OfList(list: TypedValue.ListGroup) extends LevelSource
}
