package io.github.variantshredded.read.position

import java.util.BitSet

/**
 * Records which residual values of one column have been validated in the current batch, so that
 * several extractions do not validate them again.
 */
private[read] final class CheckedValues {
  private val slots = new BitSet
  private var readers = 0

  /** Adds a reader of the values. Nothing is recorded for a single one. */
  def addReader(): Unit = readers += 1

  def startBatch(): Unit = if (readers > 1) slots.clear()

  /** Returns true if the value of a slot is known to be well-formed. */
  def has(slot: Int): Boolean = readers > 1 && slots.get(slot)

  def add(slot: Int): Unit = if (readers > 1) slots.set(slot)
}
