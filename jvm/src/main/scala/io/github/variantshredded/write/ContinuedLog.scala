package io.github.variantshredded.write

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.sinks.{FileStreamSinkLog, SinkFileStatus}

/**
 * Spark's log of a file sink, which a query can go on with after it was removed.
 *
 * Readers of a log take the last entry and those before it, back to the last one that is compact:
 * which one that is follows from the number of the batch. A query whose first entry is not number 0
 * (the directory was truncated, or the query writes to a new one) would therefore leave a log that
 * nobody can read. So the entries that readers will look for are written before, without files. Of
 * compact ones two are written where there could be two, as their distance then tells every reader how
 * often the log is compacted, whatever its session has as a default.
 */
private[write] final class ContinuedLog(
    session: SparkSession,
    directory: Path,
    retention: Option[Long],
    hadoopConf: Configuration
) extends FileStreamSinkLog(
      FileStreamSinkLog.VERSION,
      session,
      directory.toString,
      retention
    ) {

  /** Whether the log is still that of the query that is about to add to it. */
  var isCurrent: () => Boolean = () => true

  /**
   * Adds the entry of a batch.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `STREAM_LOG_REMOVED` if the directory was truncated or overwritten while the batch was being
   *   written; its files, which may be gone too, are removed
   */
  override def add(batchId: Long, files: Array[SinkFileStatus]): Boolean = {
    if (!isCurrent()) giveUp(batchId, files)
    if (batchId > 0 && getLatestBatchId().forall(_ < batchId - 1)) addMissing(batchId)
    val added = super.add(batchId, files)
    if (!isCurrent()) {
      fileManager.delete(batchIdToPath(batchId))
      val fs = directory.getFileSystem(hadoopConf)
      // Nobody has claimed what the entry has made anew.
      if (fs.exists(directory) && !fs.exists(new Path(directory, SinkLog.OwnerFile)))
        fs.delete(directory, true)
      giveUp(batchId, files)
    }
    added
  }

  private def addMissing(batchId: Long): Unit = {
    val lastCompact = batchId / compactInterval * compactInterval - 1
    val first = math.max(lastCompact, 0)
    val compact = Seq(lastCompact - compactInterval).filter(_ >= 0)
    (compact ++ (first until batchId)).foreach { id =>
      addNewBatchByStream(id)(serialize(Array.empty[SinkFileStatus], _))
    }
  }

  private def giveUp(batchId: Long, files: Array[SinkFileStatus]): Nothing = {
    val fs = directory.getFileSystem(hadoopConf)
    files.foreach(file => fs.delete(file.toFileStatus.getPath, false))
    throw VariantShreddedErrors.removedStreamLog(directory.getParent.toString, batchId)
  }
}
