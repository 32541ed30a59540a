package io.github.variantshredded.write

import java.util.Date

import io.github.variantshredded.spark.IsolatedOutputCommitter
import org.apache.hadoop.mapreduce.{Job, JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{
  DataWriter,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}
import org.apache.spark.sql.execution.datasources.{
  BasicWriteTaskStats,
  WriteJobDescription,
  WriteTaskResult
}
import org.apache.spark.sql.execution.datasources.v2.FileBatchWrite
import org.apache.spark.sql.internal.SQLConf

/**
 * One job under Spark's commit protocol.
 *
 * The job is set up when its tasks are about to start, so that a query that fails before leaves
 * nothing behind. Jobs that write to the same directory commit one after the other.
 *
 * @param jobId
 *   in the names of all files of the job
 * @param writesEmptyFile
 *   whether a job without rows leaves a file, as long as nothing is partitioned
 */
private[write] final class VariantBatchWrite(
    jobId: String,
    job: Job,
    description: WriteJobDescription,
    committer: FileCommitProtocol,
    target: WriteTarget,
    writesEmptyFile: Boolean
) extends FileBatchWrite(job, description, committer) {

  // Whether the files are the business of the commit, which deletes them if it fails.
  private var commits = false

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = {
    committer.setupJob(job)
    val trackerId = VariantDataWriterFactory.newTrackerId()
    new VariantDataWriterFactory(description, committer, trackerId, writesEmptyFile)
  }

  override def onDataWriterCommit(message: WriterCommitMessage): Unit = message match {
    case result: WriteTaskResult => committer.onTaskCommit(result.commitMsg)
    case _                       => ()
  }

  override def commit(messages: Array[WriterCommitMessage]): Unit = {
    val summaries = messages.toSeq.collect { case result: WriteTaskResult => result.summary }
    val partitions = summaries.flatMap(_.updatedPartitions).toSet
    val files = summaries.flatMap(_.stats).collect { case stats: BasicWriteTaskStats =>
      stats.numFiles
    }
    target.commit(jobId, committer, partitions, files.sum) {
      commits = true
      super.commit(messages)
    }
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit = {
    try super.abort(messages)
    finally if (!commits) target.deleteFilesOf(jobId)
  }
}

/**
 * Opens the writer of one task.
 *
 * @param trackerId
 *   the part of Hadoop's job id that is the same for all tasks of the job
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

  /** Time and a random number, as Spark makes them: two jobs of one second differ. */
  def newTrackerId(): String = {
    val time =
      new java.text.SimpleDateFormat("yyyyMMddHHmmss", java.util.Locale.US).format(new Date)
    time + (java.util.concurrent.ThreadLocalRandom.current().nextLong() & Long.MaxValue)
  }
}
