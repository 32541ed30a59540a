package io.github.variantshredded.write.column

import java.util.Arrays

import io.github.variantshredded.variant.{ByteHash, LittleEndian}

/**
 * Encodes byte arrays of any length. The dictionary is a hash table over the bytes of its page, so
 * that no object is made per value; parquet-java's dictionary writer keeps a `Binary` per entry.
 */
private[write] final class BinaryEncoder(maxDictionary: Int)
    extends DictionaryEncoder(maxDictionary) {

  // The dictionary page, and by index the position at which the bytes of an entry start.
  private var entrySink = new ByteSink(256)
  private var starts = new Array[Int](16)
  private var hashes = new Array[Int](16)
  private var count = 0

  // Indexes plus 1, by hash; at most half of the slots are taken.
  private var table = new Array[Int](32)

  private var lastId = -1

  override protected def entries: Int = count

  override protected def entryBytes: ByteSink = entrySink

  override def addBytes(bytes: Array[Byte], pos: Int, length: Int): Unit = {
    addBytesAgain(-1, bytes, pos, length)
    ()
  }

  // An entry keeps its index as long as the dictionary is used.
  override def addBytesAgain(known: Int, bytes: Array[Byte], pos: Int, length: Int): Int =
    if (takes(length)) {
      if (known >= 0) lastId = known
      else if (lastId < 0 || !isEntry(lastId, bytes, pos, length))
        lastId = find(bytes, pos, length)
      addId(lastId, length + 4)
      lastId
    } else {
      plain.putSized(bytes, pos, length)
      -1
    }

  private def isEntry(id: Int, bytes: Array[Byte], pos: Int, length: Int): Boolean = {
    val start = starts(id)
    val stored = entrySink.bytes
    LittleEndian.getInt(stored, start - 4) == length &&
    Arrays.equals(stored, start, start + length, bytes, pos, pos + length)
  }

  private def find(bytes: Array[Byte], pos: Int, length: Int): Int = {
    val hash = ByteHash.of(bytes, pos, length)
    var slot = hash & (table.length - 1)
    var id = table(slot) - 1
    while (id >= 0 && (hashes(id) != hash || !isEntry(id, bytes, pos, length))) {
      slot = (slot + 1) & (table.length - 1)
      id = table(slot) - 1
    }
    if (id >= 0) id else insert(slot, hash, bytes, pos, length)
  }

  private def insert(slot: Int, hash: Int, bytes: Array[Byte], pos: Int, length: Int): Int = {
    val id = count
    if (id == starts.length) {
      starts = Arrays.copyOf(starts, id * 2)
      hashes = Arrays.copyOf(hashes, id * 2)
    }
    starts(id) = entrySink.size + 4
    hashes(id) = hash
    entrySink.putSized(bytes, pos, length)
    count += 1
    table(slot) = count
    if (count * 2 > table.length) grow()
    id
  }

  private def grow(): Unit = {
    table = new Array[Int](table.length * 4)
    var id = 0
    while (id < count) {
      var slot = hashes(id) & (table.length - 1)
      while (table(slot) != 0) slot = (slot + 1) & (table.length - 1)
      table(slot) = id + 1
      id += 1
    }
  }

  override protected def addEntryPlainly(id: Int): Unit = {
    val start = starts(id)
    plain.putSized(entrySink.bytes, start, LittleEndian.getInt(entrySink.bytes, start - 4))
  }

  override protected def dropEntries(): Unit = {
    entrySink = new ByteSink(0)
    starts = Array.emptyIntArray
    hashes = Array.emptyIntArray
    table = Array.emptyIntArray
    count = 0
  }
}
