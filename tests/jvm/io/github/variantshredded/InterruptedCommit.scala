package io.github.variantshredded

import org.apache.hadoop.mapreduce.JobContext
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage
import org.apache.spark.sql.execution.streaming.ManifestFileCommitProtocol

/** Spark's commit of a stream's batch, that fails where [[InterruptedCommit.at]] says. */
class InterruptedCommit(jobId: String, path: String)
    extends ManifestFileCommitProtocol(jobId, path) {

  import InterruptedCommit._

  override def commitJob(job: JobContext, messages: Seq[TaskCommitMessage]): Unit = {
    if (at == Before) fail()
    super.commitJob(job, messages)
    if (at == After) fail()
  }

  // A process that has died does not clean up.
  override def abortJob(job: JobContext): Unit = ()

  private def fail(): Unit = throw new IllegalStateException(s"interrupted $at the commit")
}

object InterruptedCommit {
  val Never = "never"
  val Before = "before"
  val After = "after"

  @volatile var at: String = Never
}

/** Spark's commit of a stream's batch, with something else done before or after it. */
class ActingCommit(jobId: String, path: String) extends ManifestFileCommitProtocol(jobId, path) {

  override def commitJob(job: JobContext, messages: Seq[TaskCommitMessage]): Unit = {
    ActingCommit.act(InterruptedCommit.Before)
    super.commitJob(job, messages)
    ActingCommit.act(InterruptedCommit.After)
  }
}

object ActingCommit {
  @volatile private var todo: Option[(String, () => Unit)] = None

  def acting(at: String, action: () => Unit)(body: => Unit): Unit = {
    todo = Some(at -> action)
    try body
    finally todo = None
  }

  /** Does it once. */
  private def act(at: String): Unit = todo.filter(_._1 == at).foreach { case (_, action) =>
    todo = None
    action()
  }
}
