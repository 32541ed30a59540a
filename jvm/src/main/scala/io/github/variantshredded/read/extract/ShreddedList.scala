package io.github.variantshredded.read.extract

import io.github.variantshredded.read.decode.{ListVectors, PositionVectors}
import io.github.variantshredded.read.position.{RequiredValues, SlotRows}

/**
 * Holds a shredded array with the column of all of its elements.
 *
 * @param rows
 *   the rows of the elements
 * @param required
 *   checks that an element has a value; None if an element without a value is a Variant null
 */
private[read] final class ShreddedList(
    val position: PositionVectors,
    val list: ListVectors,
    val element: ValueColumn,
    rows: SlotRows,
    val required: Option[RequiredValues]
) {

  /** Starts a batch, without the column of the elements. Returns the number of elements. */
  def startBatch(slots: Int): Int = {
    position.startBatch(slots)
    rows.startBatch(slots)
    SlotRows.elements(list, slots)
  }

  /** Starts the column of the elements. */
  def startElements(elements: Int): Unit = {
    element.startBatch(elements)
    required.foreach(_.startBatch(elements))
  }
}
