package io.github.variantshredded.variant

/** Ranks of names, index is the id; immutable, so that it may be handed between threads. */
private[variant] final class KeyRanks(val all: Array[Int]) {
  def of(id: Int): Int = all(id)
}

private[variant] object KeyRanks {

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

/** Hash table from names to ids by open addressing; immutable once built. */
private[variant] final class KeyTable(dictionary: MetadataDictionary) {

  // Slots hold id + 1; at most half of them are taken.
  private val slots: Array[Int] = {
    val capacity = Integer.highestOneBit(math.max(dictionary.size, 4)).toLong << 2
    val table = new Array[Int](math.min(capacity, 1L << 30).toInt)
    var id = 0
    while (id < dictionary.size) {
      val pos = dictionary.keyOffset(id)
      val len = dictionary.keyLength(id)
      val slot = slotOf(table, dictionary, dictionary.bytes, pos, len)
      if (table(slot) == 0) table(slot) = id + 1
      id += 1
    }
    table
  }

  /** The lowest id of the name, or -1. */
  def find(names: MetadataDictionary, utf8: Array[Byte], pos: Int, len: Int): Int =
    slots(slotOf(slots, names, utf8, pos, len)) - 1

  // The slot that holds the name, or the free one where it would be.
  private def slotOf(
      table: Array[Int],
      names: MetadataDictionary,
      utf8: Array[Byte],
      pos: Int,
      len: Int
  ): Int = {
    val mask = table.length - 1
    var slot = KeyHash.of(utf8, pos, len) & mask
    while (table(slot) != 0 && !names.isKey(table(slot) - 1, utf8, pos, len))
      slot = (slot + 1) & mask
    slot
  }
}
