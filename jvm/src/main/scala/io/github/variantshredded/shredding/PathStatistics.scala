package io.github.variantshredded.shredding

import java.util.Arrays

/**
 * Holds the counts at one path of the Variants of a column: a node of the trie of paths.
 *
 * @param nameId
 *   id of the field's name; -1 for the root and for elements
 * @param missed
 *   most rows that may have had the path before it was counted
 */
private[shredding] final class PathStatistics(var nameId: Int, val missed: Int) {

  /** Number of rows with a value other than Variant null at this path. */
  var rows = 0

  /**
   * Sum of the bytes of these values, of each up to [[InferenceLimits.CountedBytes]], and of
   * [[InferenceLimits.FieldBytes]] for each value.
   */
  var weight = 0L

  /** The types of these values. */
  val types = new TypeMix

  /** The nodes of the fields, in arbitrary order. */
  var children: Array[PathStatistics] = PathStatistics.NoChildren
  var childCount = 0

  /** The node of the elements of arrays, or null if there were none. */
  var element: PathStatistics = _

  /** Whether the node must not be discarded. */
  var kept = false

  /** Whether a Variant has had the path; the others are paths of the user's choice. */
  var met = false

  /** Estimates the number of field names at this path in a recount; null before. */
  var names: DistinctNames = _

  private var lastRow = -1

  // The child that came first in the last object, and the child that came after this node. Fields
  // mostly come in the same order.
  private var firstChild = 0
  private var nextSibling = 0

  // Index of a child plus 1, by name id; a hash table with open addressing.
  private var slots: Array[Int] = PathStatistics.NoSlots

  /**
   * Returns the number of values other than Variant null; a row can have several if there are
   * arrays.
   */
  def values: Long = types.total

  /** Counts the row and the bytes of a value. Returns true if it is the first of this row. */
  def countRow(row: Int, bytes: Int): Boolean = {
    weight += math.min(bytes, InferenceLimits.CountedBytes) + InferenceLimits.FieldBytes
    val first = row != lastRow
    if (first) {
      lastRow = row
      rows += 1
    }
    first
  }

  /** Returns the number of fields that Variants have had. */
  def metChildren: Int = children.iterator.take(childCount).count(_.met)

  /** Resets the counts of this path and those below, and keeps the paths. */
  def reset(): Unit = {
    rows = 0
    weight = 0
    lastRow = -1
    types.reset()
    var i = 0
    while (i < childCount) {
      children(i).reset()
      i += 1
    }
    if (element != null) element.reset()
  }

  /** Returns the field with this name, or null. */
  def child(name: Int): PathStatistics = {
    val slot = slotOf(name)
    if (slots(slot) == 0) null else children(slots(slot) - 1)
  }

  /**
   * Does what [[child]] does, and is faster if the fields come in the same order as before.
   *
   * @param previous
   *   the field before this field in the same object, or null
   */
  def childAfter(previous: PathStatistics, name: Int): PathStatistics = {
    val expected = if (previous == null) firstChild else previous.nextSibling
    if (expected < childCount && children(expected).nameId == name) children(expected)
    else {
      val number = slots(slotOf(name)) - 1
      if (number < 0) null
      else {
        if (previous == null) firstChild = number else previous.nextSibling = number
        children(number)
      }
    }
  }

  def addChild(child: PathStatistics): Unit = {
    if (childCount == children.length)
      children = Arrays.copyOf(children, math.max(2, childCount * 2))
    children(childCount) = child
    childCount += 1
    if (childCount * 2 > slots.length) fillSlots() else slots(slotOf(child.nameId)) = childCount
  }

  /**
   * Discards the paths below that at most `most` rows can have had, and gives each name a new id.
   *
   * @return
   *   the number of paths that remain, including this one
   */
  def forget(most: Int, rename: Int => Int): Int = {
    var left = 0
    var paths = 1
    var i = 0
    while (i < childCount) {
      val child = children(i)
      if (child.kept || child.rows + child.missed > most) {
        child.nameId = rename(child.nameId)
        paths += child.forget(most, rename)
        children(left) = child
        left += 1
      }
      i += 1
    }
    childCount = left
    children = if (left == 0) PathStatistics.NoChildren else Arrays.copyOf(children, left)
    fillSlots()
    if (element != null) {
      if (element.kept || element.rows + element.missed > most)
        paths += element.forget(most, rename)
      else element = null
    }
    paths
  }

  private def fillSlots(): Unit =
    if (childCount == 0) slots = PathStatistics.NoSlots
    else {
      slots = new Array[Int](Integer.highestOneBit(math.max(childCount, 2)) * 4)
      var i = 0
      while (i < childCount) {
        slots(slotOf(children(i).nameId)) = i + 1
        i += 1
      }
    }

  private def slotOf(name: Int): Int = {
    val mask = slots.length - 1
    var slot = (name * 0x9e3779b9) >>> 16 & mask
    while (slots(slot) != 0 && children(slots(slot) - 1).nameId != name) slot = (slot + 1) & mask
    slot
  }
}

private[shredding] object PathStatistics {
  private val NoChildren = Array.empty[PathStatistics]
  private val NoSlots = new Array[Int](1)
}
