package io.github.variantshredded.write

import java.io.FileNotFoundException

import scala.util.control.Breaks

import io.github.variantshredded.directory.KeyMaterial
import io.github.variantshredded.errors.StreamErrors
import io.github.variantshredded.spark.EmptyDirectories
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.CompactibleFileStreamLog
import org.apache.spark.sql.execution.streaming.sinks.{FileStreamSinkLog, SinkFileStatus}

/**
 * Extends Spark's log of a file sink: a query can continue it after the log was removed.
 *
 * A reader of a log needs the last entry and those before it, back to the last compact entry. The
 * number of the batch determines which entry is compact. If the first entry of a query does not
 * have the number 0 (because the directory was truncated, or the query writes to a new one), nobody
 * could read the log. So the entries that readers look for are written first, without files. If two
 * compact entries are possible, both are written: their distance shows every reader how often the
 * log is compacted, whatever the default of its session is.
 *
 * @param query
 *   the id of the query that adds entries; None if it is not known
 */
private[write] final class ContinuableSinkLog(
    session: SparkSession,
    directory: Path,
    query: Option[String],
    retention: Option[Long],
    hadoopConf: Configuration
) extends FileStreamSinkLog(
      FileStreamSinkLog.VERSION,
      session,
      directory.toString,
      retention
    ) {

  /** Returns whether the log still belongs to the query that adds entries. */
  def isCurrent: Boolean = query.forall(id => BatchLog.owner(directory, hadoopConf).contains(id))

  /**
   * Adds the entry of a batch.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `STREAM_LOG_REMOVED` if the directory was truncated or overwritten while the batch was being
   *   written; the files of the batch that still exist are deleted
   */
  override def add(batchId: Long, files: Array[SinkFileStatus]): Boolean = {
    if (!isCurrent) giveUp(batchId, files)
    if (batchId > 0 && getLatestBatchId().forall(_ < batchId - 1)) addMissing(batchId)
    val added = super.add(batchId, files)
    if (!isCurrent) {
      if (added) fileManager.delete(batchIdToPath(batchId))
      val fs = directory.getFileSystem(hadoopConf)
      // Writing the entry has created the directory again, and no query has claimed it.
      if (fs.exists(directory) && !fs.exists(new Path(directory, BatchLog.OwnerFile)))
        fs.delete(directory, true)
      giveUp(batchId, files)
    }
    added
  }

  /**
   * Reads the files of the last entry that has some, one after another: a compact entry has all files
   * of the stream. Files that the log is about to forget count only in the last entry of all.
   *
   * @param read
   *   returns whether to go on with the next file
   */
  def readLast(read: SinkFileStatus => Boolean): Unit = getLatestBatchId().foreach { last =>
    val now = System.currentTimeMillis()
    def hasFiles(entry: Long): Boolean = {
      var found = false
      val loop = new Breaks
      loop.breakable {
        foreachInBatch(entry) { file =>
          if (entry == last || shouldRetain(file, now)) {
            found = true
            if (!read(file)) loop.break()
          }
        }
      }
      found
    }
    val entries = CompactibleFileStreamLog.getAllValidBatches(last, compactInterval.toLong)
    try entries.reverseIterator.find(hasFiles): Unit
    catch {
      // Its files are in a later compact entry. None of them has been read.
      case _: FileNotFoundException => allFiles().iterator.takeWhile(read).foreach(_ => ())
    }
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
    files.map(_.toFileStatus.getPath).foreach { file =>
      fs.delete(file, false)
      fs.delete(KeyMaterial.of(file), false)
    }
    // Opening the log may have created it again.
    EmptyDirectories.remove(fs, directory)
    throw StreamErrors.removedStreamLog(directory.getParent.toString, batchId)
  }
}
