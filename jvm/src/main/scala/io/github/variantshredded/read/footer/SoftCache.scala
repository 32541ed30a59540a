package io.github.variantshredded.read.footer

import java.lang.ref.SoftReference
import java.util.{LinkedHashMap => JLinkedHashMap}
import java.util.Map.{Entry => JEntry}

/**
 * Keeps the values that were used last, as long as there is memory for them. Threads may share an
 * instance.
 *
 * @param most
 *   the maximum number of values
 */
private[read] final class SoftCache[K, V <: AnyRef](most: Int) {
  private val values = new JLinkedHashMap[K, SoftReference[V]](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JEntry[K, SoftReference[V]]): Boolean = size() > most
  }

  /** Returns the value that is kept under this key, or else `make`, which is kept. */
  def get(key: K)(make: => V): V = synchronized {
    Option(values.get(key)).flatMap(known => Option(known.get)).getOrElse {
      val made = make
      values.put(key, new SoftReference(made)): Unit
      made
    }
  }

  def clear(): Unit = synchronized(values.clear())
}
