package io.github.variantshredded.write

import org.apache.hadoop.mapreduce.Job
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.connector.write.{
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
