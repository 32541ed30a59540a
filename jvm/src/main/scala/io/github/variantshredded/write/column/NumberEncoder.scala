package io.github.variantshredded.write.column

import java.util.Arrays

/**
 * Encodes numbers of 4 or 8 bytes; a double is the number that its bits are.
 *
 * @param width
 *   bytes of a number, 4 or 8
 */
private[write] final class NumberEncoder(width: Int, maxDictionary: Int)
    extends DictionaryEncoder(maxDictionary) {

  private var entrySink = new ByteSink(256)
  private var numbers = new Array[Long](16)
  private var count = 0

  // Indexes plus 1, by hash; at most half of the slots are taken.
  private var table = new Array[Int](32)

  override protected def entries: Int = count

  override protected def entryBytes: ByteSink = entrySink

  override def addInt(value: Int): Unit =
    if (takes(4)) addId(find(value.toLong), 4) else plain.putInt(value)

  override def addLong(value: Long): Unit =
    if (takes(8)) addId(find(value), 8) else plain.putLong(value)

  override def addDouble(value: Double): Unit = addLong(java.lang.Double.doubleToLongBits(value))

  private def find(number: Long): Int = {
    var slot = slotOf(number)
    var id = table(slot) - 1
    while (id >= 0 && numbers(id) != number) {
      slot = (slot + 1) & (table.length - 1)
      id = table(slot) - 1
    }
    if (id >= 0) id else insert(slot, number)
  }

  private def slotOf(number: Long): Int = NumberEncoder.hash(number) & (table.length - 1)

  private def insert(slot: Int, number: Long): Int = {
    val id = count
    if (id == numbers.length) numbers = Arrays.copyOf(numbers, id * 2)
    numbers(id) = number
    put(entrySink, number)
    count += 1
    table(slot) = count
    if (count * 2 > table.length) grow()
    id
  }

  private def put(sink: ByteSink, number: Long): Unit =
    if (width == 4) sink.putInt(number.toInt) else sink.putLong(number)

  private def grow(): Unit = {
    table = new Array[Int](table.length * 4)
    var id = 0
    while (id < count) {
      var slot = slotOf(numbers(id))
      while (table(slot) != 0) slot = (slot + 1) & (table.length - 1)
      table(slot) = id + 1
      id += 1
    }
  }

  override protected def addEntryPlainly(id: Int): Unit = put(plain, numbers(id))

  override protected def dropEntries(): Unit = {
    entrySink = new ByteSink(0)
    numbers = Array.emptyLongArray
    table = Array.emptyIntArray
    count = 0
  }
}

private[column] object NumberEncoder {

  /** Returns a hash, all bits of which depend on all bits of the number. */
  def hash(number: Long): Int = {
    // Doubles that are small integers, and multiples of powers of two, differ in upper bits only.
    val folded = number ^ (number >>> 32)
    ((folded * 0x9e3779b97f4a7c15L) >>> 32).toInt
  }
}
