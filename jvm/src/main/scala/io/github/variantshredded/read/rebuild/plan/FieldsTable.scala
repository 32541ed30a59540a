package io.github.variantshredded.read.rebuild.plan

import java.util.Arrays

import io.github.variantshredded.read.decode.ObjectVectors

/**
 * Caches the recent sets of fields of each object.
 *
 * @param bits
 *   binary logarithm of the number of sets that are kept of an object
 */
private[read] final class FieldsTable[T >: Null <: FieldsOfObject](bits: Int) {
  import FieldsTable._

  private var entries = new Array[FieldsOfObject](0)

  /**
   * Returns the entry of the object with these fields in the current batch, or null if it is not
   * cached.
   */
  def find(owner: ObjectVectors, word: Long): T = {
    val at = index(owner.nodeIndex, word)
    val known = if (at < entries.length) entries(at) else null
    // Safe: only `keep` adds entries.
    if (known != null && known.isOf(owner, word)) known.asInstanceOf[T] else null
  }

  def keep(fields: T): Unit = {
    val nodeIndex = fields.owner.nodeIndex
    val end = (nodeIndex + 1) << bits
    if (entries.length < end) {
      entries = Arrays.copyOf(entries, math.max(end, entries.length * 2))
    }
    entries(index(nodeIndex, fields.word)) = fields
  }

  private def index(nodeIndex: Int, word: Long): Int =
    (nodeIndex << bits) + ((word * Spread) >>> (64 - bits)).toInt
}

private object FieldsTable {
  private final val Spread = 0x9e3779b97f4a7c15L
}
