package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.variant.KeyNames

/**
 * Numbers the names of one Variant in the order in which they are first used, and builds the
 * metadata with these names. Many rows use the same names in the same order, so metadata are kept.
 */
private[read] final class UsedNames extends KeyNames {
  import UsedNames._

  private var plan: MetadataPlan = _

  // For each id in the dictionary of `plan`: the row in the upper 32 bits, the number in the lower.
  private var marks = new Array[Long](64)
  private var row = 0

  // The ids in the dictionary of `plan`, by number.
  private var used = new Array[Int](64)
  private var count = 0

  private val kept = new Array[Kept](MaxKept)

  /** Forgets the names. The ids that [[use]] gets are those of `plan`. */
  def start(plan: MetadataPlan): Unit = {
    this.plan = plan
    count = 0
    row += 1
    if (row == Int.MaxValue) {
      Arrays.fill(marks, 0L)
      row = 1
    }
  }

  /** Returns the number of the name with this id in the dictionary of the row. */
  def use(id: Int): Int =
    if (id >= 0 && id < marks.length && (marks(id) >>> 32).toInt == row) marks(id).toInt
    else add(id)

  private def add(id: Int): Int = {
    // The first look at a name also checks that the dictionary has the id.
    val first = plan.firstId(id)
    if (id >= marks.length) marks = Arrays.copyOf(marks, math.max(id + 1, marks.length * 2))
    if (first != id && (marks(first) >>> 32).toInt == row) marks(id) = marks(first)
    else {
      if (count == used.length) used = Arrays.copyOf(used, count * 2)
      used(count) = first
      marks(id) = row.toLong << 32 | count
      marks(first) = marks(id)
      count += 1
    }
    marks(id).toInt
  }

  override def size: Int = count

  override def key(id: Int): String = plan.dictionary.key(used(id))

  override def compareKeys(idA: Int, idB: Int): Int =
    plan.dictionary.compareKnownKeys(used(idA), used(idB))

  /** Returns the metadata with the names that have been used. The array is shared by many rows. */
  def metadata: Array[Byte] = {
    val index = hash & (MaxKept - 1)
    val known = kept(index)
    if (known != null && known.isOf(plan, used, count)) known.metadata
    else {
      val metadata = plan.dictionary.only(used, count)
      if (metadata.length <= MaxBytes) {
        kept(index) = new Kept(plan, Arrays.copyOf(used, count), metadata)
      }
      metadata
    }
  }

  private def hash: Int = {
    var result = System.identityHashCode(plan)
    var i = 0
    while (i < count) {
      result = result * 31 + used(i)
      i += 1
    }
    result ^ (result >>> 16)
  }
}

private object UsedNames {
  private final val MaxKept = 1024
  private final val MaxBytes = 16384

  private final class Kept(plan: MetadataPlan, used: Array[Int], val metadata: Array[Byte]) {
    def isOf(plan: MetadataPlan, used: Array[Int], count: Int): Boolean =
      (this.plan eq plan) && Arrays.equals(this.used, 0, this.used.length, used, 0, count)
  }
}
