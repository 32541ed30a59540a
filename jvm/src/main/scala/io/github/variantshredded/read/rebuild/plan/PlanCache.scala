package io.github.variantshredded.read.rebuild.plan

import java.util.{LinkedHashMap => JLinkedHashMap}

/**
 * Caches the most recently used plans in bounded memory. Not thread-safe.
 *
 * @param sizeOf
 *   bytes of a plan and its key
 */
private[read] final class PlanCache[K](sizeOf: (K, MetadataPlan) => Long) {
  import PlanCache._

  // In the order of last use.
  private val plans = new JLinkedHashMap[K, Sized](64, 0.75f, true)
  private var bytes = 0L

  /** Returns the plan of `key`, or null if it is not cached. */
  def get(key: K): MetadataPlan = {
    val found = plans.get(key)
    if (found == null) null else found.plan
  }

  /** Adds a plan whose key is not cached. Evicts the least recently used plans if needed. */
  def add(key: K, plan: MetadataPlan): Unit = {
    val added = Sized(plan, sizeOf(key, plan))
    bytes += added.bytes
    plans.put(key, added)
    val eldest = plans.entrySet.iterator
    while (plans.size > 1 && (plans.size > MaxPlans || bytes > MaxBytes)) {
      bytes -= eldest.next().getValue.bytes
      eldest.remove()
    }
  }
}

private[read] object PlanCache {
  private final val MaxPlans = 4096
  private final val MaxBytes = 32L * 1024 * 1024

  /** Holds a plan and its size when it was added. A plan can grow later. */
  private final case class Sized(plan: MetadataPlan, bytes: Long)
}
