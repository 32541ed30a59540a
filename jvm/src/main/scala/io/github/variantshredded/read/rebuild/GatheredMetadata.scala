package io.github.variantshredded.read.rebuild

import java.util.Arrays

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.decode.{ListVectors, ObjectVectors, PositionVectors}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.plan.{MetadataPlan, OwnDictionaries, PlanCache}
import io.github.variantshredded.read.vector.BinarySlice
import io.github.variantshredded.variant.{KeyOrder, MetadataDictionary}
import io.github.variantshredded.variant.encode.MetadataBuilder

/**
 * Builds the metadata dictionaries of Variants in the layout `overview`, which stores none for a
 * whole row. A dictionary holds the names of the shredded fields that the row has, and the names in
 * the dictionaries of its residual values.
 *
 * Many rows have the same set of names. A dictionary is built once per set, as long as the cache
 * keeps it.
 *
 * @param names
 *   names of all shredded fields in UTF-8, by ordinal
 */
private[read] final class GatheredMetadata(names: Array[Array[Byte]], context: FileContext)
    extends VariantMetadata {
  import GatheredMetadata._

  private val dictionaries = new OwnDictionaries(context.strict)
  private val path = new ValuePath(context.maxDepth)
  private val slice = new BinarySlice

  // `gathered` is the set of one row: ranks of shredded names in `sorted`, and non-empty
  // dictionaries.
  private val sorted = names.sorted(ByName).distinctBy(name => java.nio.ByteBuffer.wrap(name))
  private val rankOf = names.map(Arrays.binarySearch(sorted, _, ByName))
  private val gathered = new Names((sorted.length + 63) >>> 6)

  private val plans = new PlanCache[Names](sizeOf)

  // The last result is kept because Spark requests value and metadata of a Variant one after the
  // other.
  private var lastPosition: PositionVectors = _
  private var lastSlot = -1
  private var lastBatch = -1
  private var lastPlan: MetadataPlan = _

  override def startRowGroup(): Unit = ()

  override def own: Option[OwnDictionaries] = Some(dictionaries)

  override def ofResidual(value: BinarySlice, row: Int): MetadataPlan = dictionaries.takeOff(value)

  override def plan(position: PositionVectors, slot: Int, row: Int): MetadataPlan = {
    val isKnown = slot == lastSlot && (position eq lastPosition) && position.batch == lastBatch
    if (!isKnown) {
      lastSlot = -1
      lastPlan = find(position, slot)
      lastPosition = position
      lastBatch = position.batch
      lastSlot = slot
    }
    lastPlan
  }

  private def find(position: PositionVectors, slot: Int): MetadataPlan = {
    position.load()
    path.clear()
    if (position.hasResidual(slot) && !position.hasTyped(slot)) dictionaryOf(position, slot)
    else {
      gathered.clear()
      gather(position, slot)
      val known = plans.get(gathered)
      if (known != null) known
      else {
        val key = gathered.copy
        val made = newPlan(key)
        plans.add(key, made)
        made
      }
    }
  }

  private def gather(position: PositionVectors, slot: Int): Unit = {
    if (position.hasResidual(slot)) gathered.add(dictionaryOf(position, slot))
    if (position.hasTyped(slot)) {
      if (position.list != null && position.list.nulls(slot) == 0) {
        gatherElements(position.list, slot)
      }
      if (position.obj != null && position.obj.nulls(slot) == 0) gatherFields(position.obj, slot)
    }
  }

  private def gatherElements(list: ListVectors, slot: Int): Unit = {
    val from = list.arrays.offsets(slot)
    val size = list.arrays.lengths(slot)
    path.enterArray()
    var i = 0
    while (i < size) {
      path.atElement(i)
      gather(list.element, from + i)
      i += 1
    }
    path.leaveArray()
  }

  private def gatherFields(obj: ObjectVectors, slot: Int): Unit = {
    val fields = obj.present
    var w = 0
    while (w < fields.words) {
      var word = fields.word(slot * fields.words + w)
      while (word != 0) {
        val bit = java.lang.Long.numberOfTrailingZeros(word)
        word ^= 1L << bit
        val number = (w << 6) + bit
        gathered.add(rankOf(obj.ordinals(fields.index(number))))
        val field = fields.field(number)
        if (field.primitive == null || field.residual != null) gather(field, slot)
      }
      w += 1
    }
  }

  private def dictionaryOf(position: PositionVectors, slot: Int): MetadataPlan = {
    slice.read(position.residual, slot)
    try dictionaries.takeOff(slice)
    catch { case e: VariantShreddedException => throw path.within(position, e) }
  }

  private def newPlan(key: Names): MetadataPlan = {
    val all = key.ranks.map(sorted(_)) ++ key.dictionaries.flatMap { plan =>
      val dictionary = plan.dictionary
      (0 until dictionary.size).map { id =>
        val start = dictionary.keyOffset(id)
        Arrays.copyOfRange(dictionary.bytes, start, start + dictionary.keyLength(id))
      }
    }
    val builder = new MetadataBuilder
    all.sorted(ByName).foreach(name => builder.add(name, 0, name.length))
    val bytes = builder.build()
    val dictionary = MetadataDictionary.parse(bytes, 0, bytes.length, context.strict)
    new MetadataPlan(bytes, dictionary, names, isUnique = true)
  }
}

private[read] object GatheredMetadata {
  private val ByName: Ordering[Array[Byte]] =
    (a, b) => KeyOrder.compare(a, 0, a.length, b, 0, b.length)

  private def sizeOf(key: Names, plan: MetadataPlan): Long =
    plan.bytes.length + key.dictionaries.map(_.bytes.length).sum

  /**
   * Holds the set of names that one row has. One instance is reused for all rows; `copy` makes a
   * key.
   */
  private final class Names(words: Int) {
    private var bits = new Array[Long](words)
    private var plans = new Array[MetadataPlan](4)
    private var count = 0

    def clear(): Unit = {
      Arrays.fill(bits, 0L)
      count = 0
    }

    /** Adds the name of a shredded field by its rank in the sorted names. */
    def add(rank: Int): Unit = bits(rank >>> 6) |= 1L << rank

    /** Adds the names in the dictionary of a residual value. */
    def add(plan: MetadataPlan): Unit = if (plan.dictionary.size > 0) {
      var i = 0
      while (i < count && (plans(i) ne plan)) i += 1
      if (i == count) {
        if (count == plans.length) plans = Arrays.copyOf(plans, count * 2)
        plans(count) = plan
        count += 1
      }
    }

    def copy: Names = {
      val result = new Names(words)
      result.bits = bits.clone()
      result.plans = Arrays.copyOf(plans, count)
      result.count = count
      result
    }

    def ranks: Seq[Int] =
      (0 until words * 64).filter(rank => (bits(rank >>> 6) & (1L << rank)) != 0)

    def dictionaries: Seq[MetadataPlan] = plans.toSeq.take(count)

    override def hashCode: Int = {
      var hash = Arrays.hashCode(bits)
      var i = 0
      while (i < count) {
        hash = 31 * hash + System.identityHashCode(plans(i))
        i += 1
      }
      hash
    }

    override def equals(other: Any): Boolean = other match {
      case that: Names => Arrays.equals(bits, that.bits) && count == that.count && hasPlans(that)
      case _           => false
    }

    private def hasPlans(that: Names): Boolean = {
      var i = 0
      while (i < count && (plans(i) eq that.plans(i))) i += 1
      i == count
    }
  }
}
