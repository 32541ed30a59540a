package io.github.variantshredded.read.rebuild.plan

import java.util.{Arrays, IdentityHashMap => JIdentityHashMap}

import io.github.variantshredded.read.decode.ObjectVectors
import io.github.variantshredded.variant.MetadataDictionary

/**
 * Holds one distinct metadata of a file, and caches what depends on it: the dictionary ids of the
 * shredded fields, object shapes and translations of ids.
 *
 * @param names
 *   names of all shredded fields of the Variant in UTF-8, by ordinal
 * @param isUnique
 *   whether the dictionary is known to have no duplicate names
 */
private[read] final class MetadataPlan(
    private var bytesNow: Array[Byte],
    private var dictionaryNow: MetadataDictionary,
    names: Array[Array[Byte]],
    isUnique: Boolean
) {
  import MetadataPlan._

  def bytes: Array[Byte] = bytesNow
  def dictionary: MetadataDictionary = dictionaryNow

  private val ids = Array.fill(names.length)(Unresolved)

  /** The shapes of objects in rows with this metadata. */
  val shapes = new ObjectShapes

  private lazy val hasRepeats = !isUnique && dictionary.hasRepeats
  private val renamings = new JIdentityHashMap[MetadataPlan, Array[Int]](0)
  private var shreddedByNode: Array[Array[Boolean]] = Array.empty

  /**
   * Returns the dictionary id of the shredded field `ordinal`, or -1 if the dictionary lacks its
   * name.
   */
  def id(ordinal: Int): Int = {
    val known = ids(ordinal)
    if (known != Unresolved) known
    else {
      val found = dictionary.find(names(ordinal))
      ids(ordinal) = found
      found
    }
  }

  /**
   * Adds the name of a shredded field that the dictionary lacks, although a row has the field. The
   * ids of the other names stay the same. Returns the id of the name.
   */
  def addName(ordinal: Int): Int = {
    // The name may have been added for another field since it was last looked for.
    if (dictionary.find(names(ordinal)) < 0) {
      bytesNow = dictionary.withName(names(ordinal))
      dictionaryNow = MetadataDictionary.parse(bytesNow, 0, bytesNow.length, strict = false)
      shreddedByNode = Array.empty
    }
    ids(ordinal) = dictionary.find(names(ordinal))
    ids(ordinal)
  }

  /**
   * Returns for each id in the dictionary of `other` the id of the same name in this dictionary.
   */
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

  /** Returns for each dictionary id whether it is the name of a shredded field of `node`. */
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
      if (hasRepeats) flagRepeated(flags)
      shreddedByNode(node.nodeIndex) = flags
      flags
    }
  }

  /**
   * Sets the flags of duplicate names too. A dictionary that is not sorted may have a name under
   * several ids.
   */
  private def flagRepeated(flags: Array[Boolean]): Unit = {
    var id = 0
    while (id < flags.length) {
      if (flags(firstId(id))) flags(id) = true
      id += 1
    }
  }

  /**
   * Returns the lowest id that has the same name as `id`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT` if the dictionary does not have the id
   */
  def firstId(id: Int): Int = {
    val start = dictionary.keyOffset(id)
    if (hasRepeats) dictionary.find(dictionary.bytes, start, dictionary.keyLength(id)) else id
  }
}

private[read] object MetadataPlan {
  private final val Unresolved = -2
}
