package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.{AssembledColumn, FlatLeaf, Presence}
import io.github.variantshredded.spark.ParquetInternals

/** Something below a shredded object whose definition levels tell whether the object is there. */
private[read] sealed trait LevelSource {

  /** What reading its levels costs more: 0 where they are read anyway. */
  def cost: Int

  def presence(definition: Int, capacity: Int): Presence
}

private[read] object LevelSource {

  /** The cheapest, and among those the first. */
  def best(sources: Seq[LevelSource]): Option[LevelSource] = sources.minByOption(_.cost)

  final class OfLeaf(leaf: FlatLeaf) extends LevelSource {
    override def cost: Int = if (leaf.isNeededForLevels) 0 else 1

    override def presence(definition: Int, capacity: Int): Presence =
      new Presence.ByLevels(leaf.definitionLevels, definition)
  }

  final class OfList(list: AssembledColumn) extends LevelSource {
    override def cost: Int = 2

    override def presence(definition: Int, capacity: Int): Presence =
      new Presence.ByRepeatedLevels(
        ParquetInternals.repetitionLevels(list.columnHandle),
        ParquetInternals.definitionLevels(list.columnHandle),
        definition,
        capacity
      )
  }
}
