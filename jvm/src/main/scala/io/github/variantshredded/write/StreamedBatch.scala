package io.github.variantshredded.write

import io.github.variantshredded.commit.DataFiles
import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.execution.streaming.runtime.{MicroBatchExecution, StreamExecution}

/** Describes a batch of a streaming query that is about to be written to a directory. */
private[variantshredded] final case class StreamedBatch(query: Option[String], number: Long) {

  /** The options by which the write of the batch knows it. */
  def options: Map[String, String] =
    Map(SinkLog.BatchOption -> number.toString) ++ query.map(SinkLog.QueryOption -> _)

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
    StreamedBatch.refuseOtherFiles(target)
    val log = SinkLog.open(target.session, target.root, target.conf, target.options)
    query.foreach(log.claim(_, number))
    !log.latest.exists(number <= _)
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

  /** Refuses a directory with other files: if there is a log, readers ignore them. */
  def refuseOtherFiles(target: StreamTarget): Unit = {
    import target.{conf, root, session}
    if (
      !SinkLog.exists(session, root, conf) &&
      DataFiles.below(root.getFileSystem(conf), root).nonEmpty
    ) {
      throw VariantShreddedErrors.unsupported(
        s"Writing a stream to the directory '$root', which has files that no stream wrote,",
        "Readers would not see these any more. Write to a new directory, or empty this one before."
      )
    }
  }
}
