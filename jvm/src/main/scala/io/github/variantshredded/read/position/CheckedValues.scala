package io.github.variantshredded.read.position

import java.util.BitSet

/**
 * Records which residual values of one column have been validated in the current batch, and which of
 * them have their fields in Spark's order, so that several extractions do not look again.
 */
private[read] final class CheckedValues {
  private val slots = new BitSet
  private val sorted = new BitSet
  private var readers = 0

  /** Adds a reader of the values. Nothing is recorded for a single one. */
  def addReader(): Unit = readers += 1

  def startBatch(): Unit = if (readers > 1) {
    slots.clear()
    sorted.clear()
  }

  /** Returns true if the value of a slot is known to be well-formed. */
  def has(slot: Int): Boolean = readers > 1 && slots.get(slot)

  def add(slot: Int): Unit = if (readers > 1) slots.set(slot)

  /** Returns true if the objects in the value of a slot are known to be in Spark's order. */
  def isSorted(slot: Int): Boolean = readers > 1 && sorted.get(slot)

  def addSorted(slot: Int): Unit = if (readers > 1) sorted.set(slot)
}
