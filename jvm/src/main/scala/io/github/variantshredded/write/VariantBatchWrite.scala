package io.github.variantshredded.write

import io.github.variantshredded.directory.Uninterrupted
import io.github.variantshredded.write.file.WrittenFiles
import org.apache.hadoop.mapreduce.Job
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.connector.write.{
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}
import org.apache.spark.sql.execution.datasources.{WriteJobDescription, WriteTaskResult}
import org.apache.spark.sql.execution.datasources.v2.FileBatchWrite

/**
 * Runs one job under Spark's commit protocol.
 *
 * The job is set up just before its tasks start, so that a query that fails earlier leaves no
 * files. Jobs that write to the same directory commit one after the other.
 *
 * @param jobId
 *   id of the job, which is a part of the names of all its files
 * @param writesEmptyFile
 *   whether a job without rows writes a file, provided that the table is not partitioned
 */
private[write] final class VariantBatchWrite(
    jobId: String,
    job: Job,
    description: WriteJobDescription,
    committer: FileCommitProtocol,
    target: WriteTarget,
    writesEmptyFile: Boolean
) extends FileBatchWrite(job, description, committer) {

  // Whether the commit has begun: it then deletes the files itself if it fails.
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
    val files = WrittenFiles.names(summaries.flatMap(_.stats))
    target.commit(jobId, committer, partitions, files) {
      commits = true
      super.commit(messages)
    }
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit = Uninterrupted {
    try super.abort(messages)
    finally if (!commits) target.deleteFilesOf(jobId)
  }
}
