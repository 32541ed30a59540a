package io.github.variantshredded.read.rebuild.plan

import java.util.Arrays

import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/**
 * Finds the [[MetadataPlan]] of a row. If the column is dictionary-encoded, the row's dictionary id
 * identifies the plan. Otherwise, the bytes of the metadata are compared with those of the previous
 * row, and then looked up in the cache. A plan is created once per distinct metadata, as long as
 * the cache keeps it.
 */
private[read] final class MetadataPlans(names: Array[Array[Byte]], strict: Boolean) {
  import MetadataPlans._

  private val slice = new BinarySlice
  private var last: MetadataPlan = _
  private var byDictionaryId = new Array[MetadataPlan](0)
  private val probe = new Key
  private val byBytes = new PlanCache[Key]((_, plan) => plan.bytes.length.toLong)

  /** Prepares for a row group. Dictionary ids are valid only within one column chunk. */
  def startRowGroup(): Unit = byDictionaryId = new Array[MetadataPlan](0)

  def plan(metadata: WritableColumnVector, slot: Int): MetadataPlan =
    if (metadata.hasDictionary) {
      val id = metadata.getDictionaryIds.getDictId(slot)
      val known = if (id >= 0 && id < byDictionaryId.length) byDictionaryId(id) else null
      if (known != null) known
      else {
        // This call fails for an id that is not in the dictionary, before memory is allocated for
        // the id.
        slice.read(metadata, slot)
        val found = find()
        if (id >= byDictionaryId.length) {
          byDictionaryId =
            Arrays.copyOf(byDictionaryId, math.max(id + 1, 2 * byDictionaryId.length))
        }
        byDictionaryId(id) = found
        found
      }
    } else {
      slice.read(metadata, slot)
      findAgain()
    }

  /** Returns the plan of the metadata in `[start, end)`. */
  def plan(bytes: Array[Byte], start: Int, end: Int): MetadataPlan = {
    slice.bytes = bytes
    slice.start = start
    slice.end = end
    findAgain()
  }

  private def findAgain(): MetadataPlan = {
    if (last == null || !matches(last.bytes)) last = find()
    last
  }

  private def matches(bytes: Array[Byte]) =
    Arrays.equals(bytes, 0, bytes.length, slice.bytes, slice.start, slice.end)

  private def find(): MetadataPlan = {
    probe.set(slice.bytes, slice.start, slice.end)
    val known = byBytes.get(probe)
    if (known != null) known
    else {
      val bytes = Arrays.copyOfRange(slice.bytes, slice.start, slice.end)
      val dictionary = MetadataDictionary.parse(bytes, 0, bytes.length, strict)
      val plan = new MetadataPlan(bytes, dictionary, names, strict && dictionary.isSorted)
      val key = new Key
      key.set(bytes, 0, bytes.length)
      byBytes.add(key, plan)
      plan
    }
  }
}

private[read] object MetadataPlans {

  /** Makes a range of bytes a key. One instance is reused for look-ups. */
  private final class Key {
    private var bytes: Array[Byte] = _
    private var start = 0
    private var end = 0
    private var hash = 0

    def set(bytes: Array[Byte], start: Int, end: Int): Unit = {
      this.bytes = bytes
      this.start = start
      this.end = end
      var h = 1
      var i = start
      while (i < end) {
        h = 31 * h + bytes(i)
        i += 1
      }
      hash = h
    }

    override def hashCode: Int = hash

    override def equals(other: Any): Boolean = other match {
      case key: Key =>
        hash == key.hash && Arrays.equals(bytes, start, end, key.bytes, key.start, key.end)
      case _ => false
    }
  }
}
