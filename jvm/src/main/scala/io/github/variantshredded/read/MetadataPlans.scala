package io.github.variantshredded.read

import java.util.{Arrays, IdentityHashMap => JIdentityHashMap}

import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/**
 * One distinct `metadata` of a file, with the dictionary ids of the shredded fields.
 *
 * @param names
 *   UTF-8 names of all shredded fields of the Variant, by ordinal
 * @param isUnique
 *   whether no name is known to be in the dictionary twice
 */
private[read] final class MetadataPlan(
    val bytes: Array[Byte],
    val dictionary: MetadataDictionary,
    names: Array[Array[Byte]],
    isUnique: Boolean
) {
  import MetadataPlan._

  private val ids = Array.fill(names.length)(Unresolved)

  /** Shapes of objects whose rows have this metadata. */
  val shapes = new ObjectShapes

  private val renamings = new JIdentityHashMap[MetadataPlan, Array[Int]](0)
  private var shreddedByNode: Array[Array[Boolean]] = Array.empty

  /** Dictionary id of the shredded field `ordinal`, or -1 if the dictionary lacks its name. */
  def id(ordinal: Int): Int = {
    val known = ids(ordinal)
    if (known != Unresolved) known
    else {
      val found = dictionary.find(names(ordinal))
      ids(ordinal) = found
      found
    }
  }

  /** For each id of another plan's dictionary, the id of the same name in this one. */
  def renaming(other: MetadataPlan): Array[Int] = {
    val known = renamings.get(other)
    if (known != null) known
    else {
      val theirs = other.dictionary
      val result = Array.tabulate(theirs.size) { id =>
        dictionary.find(theirs.bytes, theirs.keyOffset(id), theirs.keyLength(id))
      }
      renamings.put(other, result)
      result
    }
  }

  /** For each dictionary id, whether it names a shredded field of `node`. */
  def shredded(node: ObjectVectors): Array[Boolean] = {
    if (shreddedByNode.length <= node.nodeIndex) {
      shreddedByNode = Arrays.copyOf(shreddedByNode, node.nodeIndex + 1)
    }
    val known = shreddedByNode(node.nodeIndex)
    if (known != null) known
    else {
      val flags = new Array[Boolean](dictionary.size)
      var i = 0
      while (i < node.ordinals.length) {
        val found = id(node.ordinals(i))
        if (found >= 0) flags(found) = true
        i += 1
      }
      if (!isUnique) flagRepeated(flags)
      shreddedByNode(node.nodeIndex) = flags
      flags
    }
  }

  /** A dictionary that is not sorted may have a name again under a larger id. */
  private def flagRepeated(flags: Array[Boolean]): Unit = {
    var id = 0
    while (id < flags.length) {
      val first =
        dictionary.find(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      if (flags(first)) flags(id) = true
      id += 1
    }
  }
}

private[read] object MetadataPlan {
  private final val Unresolved = -2
}

/**
 * Finds the plan of a row's `metadata`: by its id in the column's dictionary, as the row before, or
 * by its bytes. A plan is made once per distinct metadata as long as the cache holds it.
 */
private[read] final class MetadataPlans(names: Array[Array[Byte]], strict: Boolean) {
  import MetadataPlans._

  private val slice = new BinarySlice
  private var last: MetadataPlan = _
  private var byDictionaryId = new Array[MetadataPlan](0)
  private val probe = new Key
  private val byBytes = new PlanCache[Key]((_, plan) => plan.bytes.length.toLong)

  /** Called once a row group: dictionary ids are of one column chunk. */
  def startRowGroup(): Unit = byDictionaryId = new Array[MetadataPlan](0)

  def plan(metadata: WritableColumnVector, slot: Int): MetadataPlan =
    if (metadata.hasDictionary) {
      val id = metadata.getDictionaryIds.getDictId(slot)
      val known = if (id >= 0 && id < byDictionaryId.length) byDictionaryId(id) else null
      if (known != null) known
      else {
        // An id that is in no dictionary fails here, before memory is taken by its word.
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

  /** The plan of the metadata in [start, end). */
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

  /** A range of bytes as a key; one of them is reused for look-ups. */
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
