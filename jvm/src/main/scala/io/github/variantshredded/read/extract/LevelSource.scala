package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.{AssembledColumn, FlatLeaf, Presence}
import io.github.variantshredded.spark.ParquetInternals

/**
 * Gives access to a leaf column or list below a shredded object. Its definition levels say in which
 * rows the object is present.
 */
private[read] sealed trait LevelSource {

  /** Returns the relative cost of reading its definition levels: 0 if they are read in any case. */
  def cost: Int

  def presence(definition: Int, capacity: Int): Presence
}

private[read] object LevelSource {

  /** Returns the source with the lowest cost, the first if there are several. */
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
