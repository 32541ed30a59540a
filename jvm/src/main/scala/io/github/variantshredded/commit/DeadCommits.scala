package io.github.variantshredded.commit

import scala.collection.mutable
import scala.util.Try
import scala.util.control.NonFatal

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.errors.CommitErrors
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.Logging

/**
 * Undoes or finishes the commits of dead jobs, in the turn of another job: no two jobs do this at
 * the same time.
 */
private final class DeadCommits(fs: FileSystem, root: Path, turn: CommitTurn, clock: CommitClock)
    extends Logging {

  /**
   * Ends the commits of the jobs that had died when the turn began. The notes of other jobs are
   * left: these wait, and have a note while they look whether it is their turn.
   *
   * @return
   *   false if one of these jobs has only been silent and goes on: then the turn has ended
   */
  def end(): Boolean = turn.deadJobs.isEmpty || {
    val files = CommitNote.listed(fs, root).notes
    val left = files.values.toSeq.flatMap(CommitNote.read(fs, _))
    val jobs = left.filter(note => turn.deadJobs(note.job)).groupBy(_.job)
    val undone = jobs.values.filter(_.forall(_.state == CommitState.Adding)).flatten
    // The jobs that have undo notices, and whose commits have not been looked at yet.
    val announced = mutable.Set.empty[String]
    try {
      undone.foreach { note =>
        announced += note.job
        CommitNote.writeUndoNotice(fs, root, note.job)
      }
      // A job that has only been silent and looked just before goes on meanwhile.
      if (undone.exists(mayRun)) clock.sleep(DeadCommits.Pause)
      jobs.forall { case (job, notes) =>
        announced -= job
        end(job, notes, files)
      } || {
        turn.leave()
        false
      }
    } finally announced.foreach(job => Try(CommitNote.deleteUndoNotice(fs, root, job)))
  }

  private def mayRun(note: CommitNote): Boolean =
    !note.writer.exists(process => process.isCurrent || process.runs.contains(false))

  /** Undoes or finishes the commit of a dead job; false if it goes on. */
  private def end(job: String, notes: Seq[CommitNote], files: Map[String, FileStatus]): Boolean = {
    logWarning(
      s"The job $job died during its commit to $root; the commit is finished or undone now."
    )
    notes.find(_.state == CommitState.Replacing) match {
      case Some(note) if !notes.exists(_.state == CommitState.Adding) =>
        // The job has deleted its other note, after it had finished or was undone. There may be a
        // new log since then.
        val _ = CommitNote.deleteNote(fs, files(note.name).getPath)
        CommitNote.remove(fs, root, job)
      case Some(note) =>
        // Of a job that has died before it could undo this commit.
        CommitNote.deleteUndoNotice(fs, root, job)
        try new Replacement(fs, root, note).finish()
        catch {
          case NonFatal(e) => throw CommitErrors.replacedFilesLeft(root.toString, e)
        }
        CommitNote.remove(fs, root, job)
      case None => undo(job)
    }
  }

  /** Undoes a commit, and returns true, unless its job has gone on meanwhile. */
  private def undo(job: String): Boolean = {
    val found = CommitNote.listed(fs, root)
    val isThere = found.has(job, CommitState.Adding)
    val goesOn =
      found.has(job, CommitState.Replacing) || (found.marked(job) && !turn.wasMarked(job))
    if (isThere && !goesOn) {
      CommitNote.unmarkLast(fs, root, job)
      DataFiles.deleteOf(fs, root, job)
      CommitNote.remove(fs, root, job)
    } else {
      CommitNote.deleteUndoNotice(fs, root, job)
      turn.regardAsLiving(job)
      !isThere
    }
  }
}

private object DeadCommits {

  /** Milliseconds between an undo notice and the look whether the job goes on. */
  final val Pause = 500L
}
