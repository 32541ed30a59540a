package io.github.variantshredded.read.position

import java.util.Arrays

import io.github.variantshredded.read.decode.ListVectors

/** Maps slots to the rows of the batch that they belong to. */
private[read] abstract class SlotRows {
  def row(slot: Int): Int

  /**
   * Starts a batch.
   *
   * @param slots
   *   number of slots of the arrays whose elements are mapped
   */
  def startBatch(slots: Int): Unit
}

private[read] object SlotRows {

  /** Maps one slot to each row. */
  object Same extends SlotRows {
    override def row(slot: Int): Int = slot
    override def startBatch(slots: Int): Unit = ()
  }

  /** Maps one slot to each element of the arrays in the slots of `outer`. */
  final class OfElements(list: ListVectors, outer: SlotRows) extends SlotRows {
    private var rows = new Array[Int](0)
    private var outerSlots = 0
    private var known = false

    override def startBatch(slots: Int): Unit = {
      outerSlots = slots
      known = false
    }

    // Computed on request, because most batches do not need it.
    override def row(slot: Int): Int = {
      if (!known) fill()
      rows(slot)
    }

    private def fill(): Unit = {
      val vector = list.list
      var outerSlot = 0
      while (outerSlot < outerSlots) {
        if (!vector.isNullAt(outerSlot)) {
          val from = vector.getArrayOffset(outerSlot)
          val to = from + vector.getArrayLength(outerSlot)
          if (to > rows.length) rows = Arrays.copyOf(rows, math.max(to, rows.length * 2))
          Arrays.fill(rows, from, to, outer.row(outerSlot))
        }
        outerSlot += 1
      }
      known = true
    }
  }

  /** Returns the number of element slots of the arrays in the first `slots` slots. */
  def elements(list: ListVectors, slots: Int): Int = {
    val vector = list.list
    var last = 0
    var slot = 0
    while (slot < slots) {
      if (!vector.isNullAt(slot)) {
        last = math.max(last, vector.getArrayOffset(slot) + vector.getArrayLength(slot))
      }
      slot += 1
    }
    last
  }
}
