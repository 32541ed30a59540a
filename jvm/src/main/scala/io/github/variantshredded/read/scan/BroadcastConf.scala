package io.github.variantshredded.read.scan

import java.lang.ref.WeakReference
import java.util.{HashMap => JHashMap, Map => JMap}

import io.github.variantshredded.read.footer.SoftCache
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

  private val broadcasts = new SoftCache[JMap[String, String], Shared](MaxBroadcasts)

  /** Returns a broadcast of a configuration with these values. */
  def apply(current: SparkContext, conf: Configuration): Shared = {
    val values = new JHashMap[String, String](2048)
    conf.forEach(entry => values.put(entry.getKey, entry.getValue): Unit)
    synchronized {
      if (context.get ne current) {
        broadcasts.clear()
        context = new WeakReference(current)
      }
      broadcasts.get(values)(current.broadcast(new SerializableConfiguration(conf)))
    }
  }
}
