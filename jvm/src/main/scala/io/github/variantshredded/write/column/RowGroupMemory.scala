package io.github.variantshredded.write.column

import scala.collection.mutable

/**
 * Shares a part of the heap among the files that are written at the same time in this JVM, and the
 * rows that are buffered for them. If they would need more, all their row groups end earlier.
 *
 * parquet-java's memory manager does this only for parquet-java's own writers, and fails if a row
 * group would become smaller than `parquet.memory.min.chunk.size`; here the row group then has that
 * size.
 *
 * @param heap
 *   bytes of the heap
 */
private[write] final class RowGroupMemory(heap: Long) {
  import RowGroupMemory._

  private val shares = mutable.HashSet.empty[Share]

  /** Returns a share for a new file; the caller has to release it. */
  def acquire(settings: ParquetSettings): Share = acquire(settings, settings.rowGroupSize)

  /** Returns a share for buffered rows of `wanted` bytes; the caller has to release it. */
  def acquire(settings: ParquetSettings, wanted: Long): Share = synchronized {
    val share = new Share(wanted, settings.minRowGroupSize, this)
    shares += share
    balance(settings.memoryRatio)
    share
  }

  private def release(share: Share): Unit = synchronized {
    if (shares.remove(share)) balance(share.ratio)
  }

  private def balance(ratio: Float): Unit = {
    val wanted = shares.iterator.map(_.wanted.toDouble).sum
    val scale = math.min(1.0, heap * ratio.toDouble / wanted)
    shares.foreach { share =>
      share.ratio = ratio
      share.granted = math.max((share.wanted * scale).toLong, math.min(share.wanted, share.least))
    }
  }
}

private[write] object RowGroupMemory {

  /** The memory of this JVM. */
  lazy val Shared: RowGroupMemory = new RowGroupMemory(Runtime.getRuntime.maxMemory)

  /**
   * Represents the memory that one file may use.
   *
   * @param wanted
   *   bytes of a row group
   * @param least
   *   least bytes that are granted, unless `wanted` is less
   */
  final class Share(
      private[write] val wanted: Long,
      private[write] val least: Long,
      memory: RowGroupMemory
  ) {
    private[write] var ratio = 1f

    @volatile private[write] var granted = wanted

    /**
     * Returns the number of bytes at which a row group has to end. It changes when other files
     * begin or end.
     */
    def bytes: Long = granted

    def release(): Unit = memory.release(this)
  }
}
