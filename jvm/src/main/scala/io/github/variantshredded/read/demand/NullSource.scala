package io.github.variantshredded.read.demand

/** Says how to tell which Variants of a group are SQL NULL. */
private[read] sealed trait NullSource

private[read] object NullSource {

  /** The group is required. */
  case object NeverNull extends NullSource

  /** The group is null exactly where its required child `metadata` is null. */
  case object OfMetadata extends NullSource

  /** The definition levels of a column below the group tell in which rows it is null. */
  final case class OfLevels(source: LevelSource) extends NullSource
}
