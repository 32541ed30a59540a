package io.github.variantshredded.variant

/** Finds the id of a name of a dictionary by an immutable hash table with open addressing. */
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

  /** The number of different names. */
  val distinct: Int = slots.count(_ > 0)

  /** Returns the lowest id of the name, or -1. */
  def find(names: MetadataDictionary, utf8: Array[Byte], pos: Int, len: Int): Int =
    slots(slotOf(slots, names, utf8, pos, len)) - 1

  // The slot that holds the name, or the free slot where the name would be.
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
