package io.github.variantshredded.write

import scala.collection.mutable

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.mapreduce.{JobContext, OutputCommitter, TaskAttemptContext}
import org.apache.hadoop.mapreduce.lib.output.{FileOutputCommitter, PathOutputCommitterFactory}
import org.apache.parquet.hadoop.ParquetOutputCommitter
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage
import org.apache.spark.internal.io.HadoopMapReduceCommitProtocol
import org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol

/** Fails at the very end. */
class FailingCommitProtocol(jobId: String, path: String, dynamic: Boolean)
    extends SQLHadoopMapReduceCommitProtocol(jobId, path, dynamic) {
  override def commitJob(job: JobContext, messages: Seq[TaskCommitMessage]): Unit =
    throw new IllegalStateException("no commit")
}

/** Has Hadoop's own committer, which deletes what other jobs have in `_temporary`. */
class PlainCommitProtocol(jobId: String, path: String, dynamic: Boolean)
    extends HadoopMapReduceCommitProtocol(jobId, path, dynamic) {
  override protected def setupCommitter(context: TaskAttemptContext): OutputCommitter =
    new FileOutputCommitter(new Path(path), context)
}

/** Asks Hadoop's factories for its committer, as Spark's protocol for object stores does. */
class FactoryCommitProtocol(jobId: String, path: String, dynamic: Boolean)
    extends HadoopMapReduceCommitProtocol(jobId, path, dynamic) {
  override protected def setupCommitter(context: TaskAttemptContext): OutputCommitter =
    PathOutputCommitterFactory.createCommitter(new Path(path), context)
}

/** Deletes with its commit, as protocols with transactions do. */
class DeletingCommitProtocol(jobId: String, path: String, dynamic: Boolean)
    extends SQLHadoopMapReduceCommitProtocol(jobId, path, dynamic) {
  private val doomed = mutable.ArrayBuffer.empty[(FileSystem, Path)]

  override def deleteWithJob(fs: FileSystem, path: Path, recursive: Boolean): Boolean = {
    doomed += fs -> path
    true
  }

  override def commitJob(job: JobContext, messages: Seq[TaskCommitMessage]): Unit = {
    DeletingCommitProtocol.deleted ++= doomed.map(_._2.getName)
    doomed.foreach { case (fs, path) => fs.delete(path, false) }
    super.commitJob(job, messages)
  }
}

object DeletingCommitProtocol {
  val deleted: mutable.ArrayBuffer[String] = mutable.ArrayBuffer.empty
}

/** Remembers the jobs that it has committed. */
class RecordingCommitter(output: Path, context: TaskAttemptContext)
    extends ParquetOutputCommitter(output, context) {
  override def commitJob(job: JobContext): Unit = {
    RecordingCommitter.jobs += output
    super.commitJob(job)
  }
}

object RecordingCommitter {
  val jobs: mutable.ArrayBuffer[Path] = mutable.ArrayBuffer.empty
}
