package io.github.variantshredded.commit

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

/** Spark's commit of a stream's batch, and something else that is done meanwhile. */
class ActingCommit(jobId: String, path: String) extends ManifestFileCommitProtocol(jobId, path) {

  override def setupJob(job: JobContext): Unit = {
    super.setupJob(job)
    ActingCommit.take(ActingCommit.WhileWriting).foreach(_())
  }

  override def commitJob(job: JobContext, messages: Seq[TaskCommitMessage]): Unit = {
    ActingCommit.take(ActingCommit.AtCommit).foreach { action =>
      val thread = new Thread(() => action())
      ActingCommit.started = Some(thread)
      thread.start()
      // As long as it may need to get in the way of this commit, if it could.
      thread.join(2000)
    }
    super.commitJob(job, messages)
  }
}

object ActingCommit {

  /** Before the tasks begin, in the thread of the query. */
  val WhileWriting = "while a batch is written"

  /** In a thread of its own, while no other job can commit. */
  val AtCommit = "at the commit of a batch"

  @volatile private var todo: Option[(String, () => Unit)] = None
  @volatile private var started: Option[Thread] = None

  /** Runs `body`, with `action` done once, and waits for the end of both. */
  def acting(at: String, action: () => Unit)(body: => Unit): Unit = {
    todo = Some(at -> action)
    try {
      body
      require(todo.isEmpty, s"nothing was done $at")
      started.foreach(_.join())
    } finally {
      todo = None
      started = None
    }
  }

  private def take(at: String): Option[() => Unit] = {
    val action = todo.filter(_._1 == at).map(_._2)
    if (action.isDefined) todo = None
    action
  }
}
