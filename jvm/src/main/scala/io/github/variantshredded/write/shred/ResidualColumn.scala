package io.github.variantshredded.write.shred

import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.write.column.LeafWriter

/** Writes the residual column of a position. Most of it is null, so nulls are written in runs. */
private[write] sealed abstract class ResidualColumn(leaf: LeafWriter) {

  private var heldRepetition = 0
  private var heldDefinition = 0
  private var held = 0

  /** Adds the value in [pos, end), which has been validated and uses the dictionary of the row. */
  final def add(row: ShredRow, bytes: Array[Byte], pos: Int, end: Int, repetition: Int): Unit = {
    settle()
    addTo(leaf, row, bytes, pos, end, repetition)
  }

  protected def addTo(
      leaf: LeafWriter,
      row: ShredRow,
      bytes: Array[Byte],
      pos: Int,
      end: Int,
      repetition: Int
  ): Unit

  final def addNulls(repetition: Int, definition: Int, count: Int): Unit =
    if (repetition == heldRepetition && definition == heldDefinition) held += count
    else {
      settle()
      heldRepetition = repetition
      heldDefinition = definition
      held = count
    }

  /** Writes the nulls that are held back. */
  final def settle(): Unit = if (held > 0) {
    leaf.addNulls(heldRepetition, heldDefinition, held)
    held = 0
  }
}

private[write] object ResidualColumn {

  def apply(leaf: LeafWriter, layout: Layout): ResidualColumn = layout match {
    case Layout.Spec     => new Shared(leaf)
    case Layout.Overview => new Own(leaf)
  }

  /** Residual values use the dictionary in the row's `metadata`. */
  private final class Shared(leaf: LeafWriter) extends ResidualColumn(leaf) {
    override protected def addTo(
        leaf: LeafWriter,
        row: ShredRow,
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        repetition: Int
    ): Unit = leaf.addBytes(bytes, pos, end - pos, repetition)
  }

  /** Each residual value has a metadata dictionary of its own. */
  private final class Own(leaf: LeafWriter) extends ResidualColumn(leaf) {
    override protected def addTo(
        leaf: LeafWriter,
        row: ShredRow,
        bytes: Array[Byte],
        pos: Int,
        end: Int,
        repetition: Int
    ): Unit = {
      val own = row.own
      own.encode(bytes, pos, end, row.dictionary)
      leaf.addBytes(own.bytes, 0, own.length, repetition)
    }
  }
}
