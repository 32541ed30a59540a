package io.github.variantshredded.write

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{
  DataWriterFactory,
  PhysicalWriteInfo,
  RequiresDistributionAndOrdering,
  Write,
  WriterCommitMessage
}
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}

/**
 * Runs the write of one batch of `writeStream.toTable`: the write of a batch query, whose commit
 * adds the batch to the log of the directory.
 *
 * @param isNew
 *   whether the batch has to be written. Otherwise the directory has it already, and its rows are
 *   not written again.
 * @param isLogged
 *   returns whether the log of the directory has the batch
 */
private[write] final class StreamedWrite(
    batch: VariantWrite,
    isNew: Boolean,
    isLogged: () => Boolean
) extends Write
    with RequiresDistributionAndOrdering {

  override def description(): String = batch.description()

  override def toString: String = description()

  override def requiredDistribution(): Distribution = batch.requiredDistribution()

  // Spark sorts no rows of a stream in the mode "append", so there is no order to keep.
  override def requiredOrdering(): Array[SortOrder] = batch.partitionOrder

  override def supportedCustomMetrics(): Array[CustomMetric] = batch.supportedCustomMetrics()

  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.reportDriverMetrics()

  override def toStreaming(): StreamingWrite =
    if (isNew) new StreamedWrite.OfBatch(batch.toBatch(), isLogged) else StreamedWrite.OfNothing
}

private[write] object StreamedWrite {

  private final class OfBatch(batch: VariantBatchWrite, isLogged: () => Boolean)
      extends StreamingWrite
      with Logging {

    override def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory =
      new Writers(batch.createBatchWriterFactory(info))

    override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
      batch.commit(messages)

    override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
      if (mayBeLogged) logWarning(s"The files of batch $epochId are kept: the log may name them")
      else {
        // Spark does not tell a stream's write when a task has committed.
        messages.filter(_ != null).foreach(batch.onDataWriterCommit)
        batch.abort(messages)
      }

    // A commit may fail after the batch has been added to the log. Readers ignore files that the log
    // does not name, so they may stay if the log cannot be read.
    private def mayBeLogged: Boolean =
      try isLogged()
      catch { case NonFatal(_) => true }
  }

  private final class Writers(factory: DataWriterFactory) extends StreamingDataWriterFactory {
    override def createWriter(partition: Int, task: Long, epoch: Long): DataWriter[InternalRow] =
      factory.createWriter(partition, task)
  }

  /** Writes no rows. */
  private object OfNothing extends StreamingWrite {

    override def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory =
      new NoWriters

    override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit = ()

    override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit = ()
  }

  private final class NoWriters extends StreamingDataWriterFactory {
    override def createWriter(partition: Int, task: Long, epoch: Long): DataWriter[InternalRow] =
      new DataWriter[InternalRow] {
        override def write(row: InternalRow): Unit = ()
        override def commit(): WriterCommitMessage = null
        override def abort(): Unit = ()
        override def close(): Unit = ()
      }
  }
}
