package io.github.variantshredded.write.column

import scala.collection.mutable

/**
 * Shares a part of the heap between the files that are being written in this JVM, and the rows that
 * wait for them: if together they would hold more, all their row groups end earlier.
 *
 * Parquet's own manager does the same for its own writers only, and fails where a row group would get
 * smaller than `parquet.memory.min.chunk.size`; here it then has that size.
 *
 * @param heap
 *   bytes of the heap
 */
private[write] final class RowGroupMemory(heap: Long) {
  import RowGroupMemory._

  private val shares = mutable.HashSet.empty[Share]

  /** A new file's share; it has to be released. */
  def acquire(settings: ParquetSettings): Share = acquire(settings, settings.rowGroupSize)

  /** A share for rows of `wanted` bytes that wait for a file; it has to be released. */
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

  /** That of this JVM. */
  lazy val Shared: RowGroupMemory = new RowGroupMemory(Runtime.getRuntime.maxMemory)

  /**
   * What one file may hold.
   *
   * @param wanted
   *   bytes of a row group
   */
  final class Share(
      private[write] val wanted: Long,
      private[write] val least: Long,
      memory: RowGroupMemory
  ) {
    private[write] var ratio = 1f

    @volatile private[write] var granted = wanted

    /** Bytes at which a row group has to end; other files' coming and going changes it. */
    def bytes: Long = granted

    def release(): Unit = memory.release(this)
  }
}
