package io.github.variantshredded.shredding

import java.util.Arrays

/**
 * What was seen at one path of the Variants of a column: the node of a trie.
 *
 * @param nameId
 *   id of the field's name, -1 for the topmost value and for elements
 * @param missed
 *   rows at most that may have had the path before it was counted
 */
private[shredding] final class PathStatistics(var nameId: Int, val missed: Int) {

  /** Rows with a value other than null here. */
  var rows = 0

  /** Bytes of these values, of each up to [[InferenceLimits.CountedBytes]], and of their fields. */
  var weight = 0L

  /** What types they have. */
  val types = new TypeMix

  /** Fields, in no order that means anything. */
  var children: Array[PathStatistics] = PathStatistics.NoChildren
  var childCount = 0

  /** Elements of arrays here, null if there were none. */
  var element: PathStatistics = _

  /** Whether it is never to be forgotten. */
  var kept = false

  /** Names met below, where not all of them have a node. */
  var names: DistinctNames = _

  private var lastRow = -1

  // Numbers of the children that came first, and after this one, in the last object: fields mostly
  // come in the same order.
  private var firstChild = 0
  private var nextSibling = 0

  // Child number + 1 by name id, by open addressing.
  private var slots: Array[Int] = PathStatistics.NoSlots

  /** Values other than null; with arrays there can be several a row. */
  def values: Long = types.total

  /** Counts a value's row and bytes; whether it is the first of this row. */
  def countRow(row: Int, bytes: Int): Boolean = {
    weight += math.min(bytes, InferenceLimits.CountedBytes) + InferenceLimits.FieldBytes
    val first = row != lastRow
    if (first) {
      lastRow = row
      rows += 1
    }
    first
  }

  /** Forgets what was counted here and below, not the paths. */
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

  /** The field of this name, or null. */
  def child(name: Int): PathStatistics = {
    val slot = slotOf(name)
    if (slots(slot) == 0) null else children(slots(slot) - 1)
  }

  /**
   * As above.
   *
   * @param previous
   *   the field before it in the same object, or null
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
   * Forgets the paths below that at most `most` rows can have had, and gives each name a new id.
   *
   * @return
   *   the number of paths that are left, this one among them
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

/** An estimate of how many different names there were, by linear counting: order does not matter. */
private[shredding] final class DistinctNames(expected: Int) {

  private val bits = new Array[Long](math.max(1, Integer.highestOneBit(expected * 8 - 1) / 64))

  def add(bytes: Array[Byte], pos: Int, length: Int): Unit = {
    var hash = 0xcbf29ce484222325L
    var i = 0
    while (i < length) {
      hash = (hash ^ (bytes(pos + i) & 0xff)) * 0x100000001b3L
      i += 1
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL
    hash ^= hash >>> 33
    bits((hash >>> 6).toInt & (bits.length - 1)) |= 1L << (hash & 63)
  }

  def estimate: Double = {
    val size = bits.length * 64.0
    val free = size - bits.iterator.map(word => java.lang.Long.bitCount(word)).sum
    -size * math.log(math.max(free, 0.5) / size)
  }
}
