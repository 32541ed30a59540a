package io.github.variantshredded.read.scan

import java.lang.ref.{SoftReference, WeakReference}
import java.util.{HashMap => JHashMap, LinkedHashMap => JLinkedHashMap, Map => JMap}
import java.util.Map.{Entry => JEntry}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.util.SerializableConfiguration

/**
 * Broadcasts Hadoop configurations. Scans with equal configurations share one broadcast, since each
 * costs the driver and every executor some milliseconds, which is much of a short query.
 */
private[scan] object BroadcastConf {
  private type Shared = Broadcast[SerializableConfiguration]

  private final val MaxBroadcasts = 16

  private var context = new WeakReference[SparkContext](null)

  private val broadcasts =
    new JLinkedHashMap[JMap[String, String], SoftReference[Shared]](32, 0.75f, true) {
      override def removeEldestEntry(
          eldest: JEntry[JMap[String, String], SoftReference[Shared]]
      ): Boolean = size() > MaxBroadcasts
    }

  /** Returns a broadcast of a configuration with these values. */
  def apply(current: SparkContext, conf: Configuration): Shared = {
    val values = new JHashMap[String, String](2048)
    conf.forEach(entry => values.put(entry.getKey, entry.getValue): Unit)
    synchronized {
      if (context.get ne current) {
        broadcasts.clear()
        context = new WeakReference(current)
      }
      Option(broadcasts.get(values)).flatMap(known => Option(known.get)).getOrElse {
        val made = current.broadcast(new SerializableConfiguration(conf))
        broadcasts.put(values, new SoftReference(made)): Unit
        made
      }
    }
  }
}
