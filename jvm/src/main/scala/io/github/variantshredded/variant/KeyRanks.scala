package io.github.variantshredded.variant

/**
 * Holds the ranks of all names of a dictionary, by id. It is immutable, so threads may share it.
 */
private[variant] final class KeyRanks(val all: Array[Int]) {
  def of(id: Int): Int = all(id)
}

private[variant] object KeyRanks {

  /** Computes the ranks of the ids 0 to `size - 1`; equal names have equal ranks. */
  def apply(size: Int, keys: KeyNames): KeyRanks = {
    val entries = new Array[Long](size)
    var id = 0
    while (id < size) {
      entries(id) = id.toLong << 32
      id += 1
    }
    KeyNames.sort(keys, entries, new Array[Long](size), 0, size)
    val ranks = new Array[Int](size)
    var i = 0
    var rank = 0
    while (i < size) {
      val current = (entries(i) >>> 32).toInt
      if (i > 0 && keys.compareKeys((entries(i - 1) >>> 32).toInt, current) != 0)
        rank = i
      ranks(current) = rank
      i += 1
    }
    new KeyRanks(ranks)
  }
}
