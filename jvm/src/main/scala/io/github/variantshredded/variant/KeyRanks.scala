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
    var place = 0
    var rank = 0
    while (place < size) {
      val current = (entries(place) >>> 32).toInt
      if (place > 0 && keys.compareKeys((entries(place - 1) >>> 32).toInt, current) != 0)
        rank = place
      ranks(current) = rank
      place += 1
    }
    new KeyRanks(ranks)
  }
}
