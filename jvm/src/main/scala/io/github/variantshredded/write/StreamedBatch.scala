package io.github.variantshredded.write

import io.github.variantshredded.commit.ExclusiveCommit
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.execution.streaming.runtime.{MicroBatchExecution, StreamExecution}

/** Describes a batch of a streaming query that is about to be written to a directory. */
private[variantshredded] final case class StreamedBatch(query: Option[String], number: Long) {

  /** Returns the options by which the write of the batch knows it. */
  def options: Map[String, String] =
    Map(BatchLog.BatchOption -> number.toString) ++ query.map(BatchLog.QueryOption -> _)

  /**
   * Begins the batch.
   *
   * @return
   *   whether it has to be written; false if the directory has it already
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   if the directory has files of somebody else
   */
  def begin(target: StreamTarget): Boolean = {
    // The directory may have been overwritten since the last batch.
    val log = StreamedBatch.log(target)
    // The entries are not listed again: those of another query may have come meanwhile.
    val last = query.fold(log.latest)(log.claim(_, number))
    !last.exists(number <= _)
  }

  /** Returns whether the log of the directory has the batch now. */
  def isLogged(target: StreamTarget): Boolean =
    BatchLog.exists(target.session, target.root, target.conf) && {
      val log = BatchLog.open(target.session, target.root, target.conf, target.options)
      val found = log.latest.exists(number <= _)
      // Opening it may have created it again.
      if (!found) log.removeIfEmpty()
      found
    }
}

private[variantshredded] object StreamedBatch {

  /** Returns the batch that a write to a table belongs to, if a streaming query has started it. */
  def of(session: SparkSession, info: LogicalWriteInfo): Option[StreamedBatch] = {
    def property(name: String) = Option(session.sparkContext.getLocalProperty(name))
    // A write within foreachBatch has the properties too, but an id of its own.
    property(StreamExecution.QUERY_ID_KEY).filter(_ == info.queryId).map { query =>
      StreamedBatch(Some(query), property(MicroBatchExecution.BATCH_ID_KEY).fold(0L)(_.toLong))
    }
  }

  /**
   * Opens the log of a directory. Creates it if there is none, while no other job commits: readers
   * ignore files that are not in the log.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if there is no log, and the directory has files, or is that of a
   *   partition of another directory with a log
   */
  def log(target: StreamTarget): BatchLog = {
    import target.{conf, options, root, session}
    if (BatchLog.exists(session, root, conf)) BatchLog.open(session, root, conf, options)
    else {
      BatchLog.refusePartition(session, root, conf)
      ExclusiveCommit.alone(root, conf) {
        if (!BatchLog.exists(session, root, conf)) BatchLog.refuseFiles(root, conf, options)
        BatchLog.open(session, root, conf, options)
      }
    }
  }
}
