package io.github.variantshredded.variant

/**
 * Gives the field names behind field ids, in a dictionary that is read or one that is being built.
 */
trait KeyNames {

  /** Returns the number of ids; they run from 0 to `size - 1`. */
  def size: Int

  /** Returns the decoded name, for messages and tests. */
  def key(id: Int): String

  /**
   * Compares two names in the order of [[KeyOrder.compare]]; 0 for equal names of different ids.
   */
  def compareKeys(idA: Int, idB: Int): Int
}

private[variant] object KeyNames {

  /** Longest range that is sorted by insertion sort. */
  private final val InsertionLimit = 12

  /**
   * Sorts `entries` in [from, until) by the names of the ids in their upper 32 bits. The sort is
   * stable.
   *
   * @param scratch
   *   working memory, at least as long as `entries`
   */
  def sort(
      keys: KeyNames,
      entries: Array[Long],
      scratch: Array[Long],
      from: Int,
      until: Int
  ): Unit =
    if (until - from <= InsertionLimit) insertionSort(keys, entries, from, until)
    else {
      val middle = (from + until) >>> 1
      sort(keys, entries, scratch, from, middle)
      sort(keys, entries, scratch, middle, until)
      if (!inOrder(keys, entries(middle - 1), entries(middle)))
        merge(keys, entries, scratch, from, middle, until)
    }

  private def inOrder(keys: KeyNames, a: Long, b: Long): Boolean =
    keys.compareKeys((a >>> 32).toInt, (b >>> 32).toInt) <= 0

  private def insertionSort(keys: KeyNames, entries: Array[Long], from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until) {
      val entry = entries(i)
      var j = i
      while (j > from && !inOrder(keys, entries(j - 1), entry)) {
        entries(j) = entries(j - 1)
        j -= 1
      }
      entries(j) = entry
      i += 1
    }
  }

  private def merge(
      keys: KeyNames,
      entries: Array[Long],
      scratch: Array[Long],
      from: Int,
      middle: Int,
      until: Int
  ): Unit = {
    System.arraycopy(entries, from, scratch, from, middle - from)
    var left = from
    var right = middle
    var out = from
    while (left < middle && right < until) {
      if (inOrder(keys, scratch(left), entries(right))) {
        entries(out) = scratch(left)
        left += 1
      } else {
        entries(out) = entries(right)
        right += 1
      }
      out += 1
    }
    System.arraycopy(scratch, left, entries, out, middle - left)
  }
}
