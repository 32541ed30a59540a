package io.github.variantshredded.write

import java.util.Date

import io.github.variantshredded.spark.IsolatedOutputCommitter
import io.github.variantshredded.write.file.{DirectoryDataWriter, PartitionedDataWriter}
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory}
import org.apache.spark.sql.execution.datasources.WriteJobDescription
import org.apache.spark.sql.internal.SQLConf

/**
 * Creates the writer of one task.
 *
 * @param trackerId
 *   the part of Hadoop's job id that all tasks of the job share
 */
private[write] final class VariantDataWriterFactory(
    description: WriteJobDescription,
    committer: FileCommitProtocol,
    trackerId: String,
    writesEmptyFile: Boolean
) extends DataWriterFactory {

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = {
    val context = attemptContext(partitionId, taskId.toInt & Int.MaxValue)
    committer.setupTask(context)
    if (description.partitionColumns.isEmpty)
      new DirectoryDataWriter(
        description,
        context,
        committer,
        writesEmptyFile && partitionId == 0
      )
    else new PartitionedDataWriter(description, context, committer)
  }

  private def attemptContext(partitionId: Int, attempt: Int): TaskAttemptContextImpl = {
    val jobId = new JobID(trackerId, 0)
    val task = new TaskID(jobId, TaskType.MAP, partitionId)
    val attemptId = new TaskAttemptID(task, attempt)
    val conf = description.serializableHadoopConf.value
    IsolatedOutputCommitter.useInTask(conf, SQLConf.OUTPUT_COMMITTER_CLASS.key)
    conf.set("mapreduce.job.id", jobId.toString)
    conf.set("mapreduce.task.id", task.toString)
    conf.set("mapreduce.task.attempt.id", attemptId.toString)
    conf.setBoolean("mapreduce.task.ismap", true)
    conf.setInt("mapreduce.task.partition", 0)
    new TaskAttemptContextImpl(conf, attemptId)
  }
}

private[write] object VariantDataWriterFactory {

  /** Returns the time and a random number, as Spark does, so that ids differ within a second. */
  def newTrackerId(): String = {
    val time =
      new java.text.SimpleDateFormat("yyyyMMddHHmmss", java.util.Locale.US).format(new Date)
    time + (java.util.concurrent.ThreadLocalRandom.current().nextLong() & Long.MaxValue)
  }
}
