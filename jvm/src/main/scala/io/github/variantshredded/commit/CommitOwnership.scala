package io.github.variantshredded.commit

import java.io.IOException

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.errors.CommitErrors
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.internal.Logging

/**
 * Looks whether a job still owns its commit. If the process of the job was suspended, another job
 * may regard it as dead, and undo or finish its commit.
 */
private final class CommitOwnership(
    fs: FileSystem,
    root: Path,
    job: String,
    turn: CommitTurn,
    clock: CommitClock
) extends Logging {
  import CommitOwnership._

  /**
   * Throws an error if another job has undone this commit while this process was suspended, or is
   * about to. The mark of this job is written before; another job writes its undo notice before it
   * looks for the mark. So at least one of the two notices the other.
   */
  def require(): Unit =
    if (!CommitNote.listed(fs, root).isOwn(job))
      throw CommitErrors.commitTakenOver(root.toString)

  /** Returns whether another job undoes or has undone this commit, or has finished it. */
  def isLost: Boolean = mayBeLost &&
    (try {
      val now = CommitNote.listed(fs, root)
      now.undoNotices(job) || (!now.has(job, CommitState.Adding) && fs.exists(root))
    } catch { case _: IOException => false })

  /** Returns whether the job has had its note for so long that another one may regard it as dead. */
  private def mayBeLost: Boolean = clock.millisSince(turn.notedAt) >= ShortTurn

  /**
   * Returns whether another job has undone this commit although its note is deleted: this process
   * was suspended just before, and the other job found the note. That job deletes its undo notice
   * when it has deleted the files of this commit, or has noticed that the note is gone.
   *
   * @param looked
   *   when this job began to look for the undo notice the last time, before it deleted the note
   */
  def isUndoneSince(looked: Long): Boolean =
    clock.millisSince(looked) >= SureMillis && mayBeLost &&
      (try {
        val started = clock.nanos
        var now = CommitNote.listed(fs, root)
        while (now.undoNotices(job) && clock.millisSince(started) < LongestUndoing) {
          clock.sleep(DeadCommits.Pause)
          now = CommitNote.listed(fs, root)
        }
        now.undoNotices(job) || (!now.marked(job) && !DataFiles.existOf(fs, root, job))
      } catch {
        case e: IOException =>
          logInfo(s"Could not look whether the commit to $root was undone", e)
          false
      })

  /**
   * Returns whether no other job regards this one as dead: such a job has a note of its own until it
   * has finished or undone this commit, and removes the notes of this job then. A job that waits has
   * a note too, but only for moments.
   *
   * @param replacing
   *   the note with the files that this commit replaces, which may be deleted
   */
  def isUndisturbed(replacing: CommitNote): Boolean = {
    val own = CommitNote(job, CommitState.Adding, None).name
    def isNow: Boolean = {
      val now = CommitNote.listed(fs, root)
      now.notes.contains(own) && now.marked(job) &&
      (now.notes.keySet - own - replacing.name).isEmpty
    }
    isNow || (1 until Looks).exists { _ =>
      clock.sleep(LookPause)
      isNow
    }
  }
}

private object CommitOwnership {

  // Another job that has written an undo notice waits longer than this before it looks for the note
  // of this one. So a note that is deleted in this time after a look for the notice is not found.
  private final val SureMillis = DeadCommits.Pause * 4 / 5

  // In this time, no other job regards one as dead that has written its note.
  private final val ShortTurn = 30 * 1000L

  // How long a job waits for another one that may be undoing its commit.
  private final val LongestUndoing = 5 * 60 * 1000L

  // Notes of jobs that wait come and go, so that a job looks for others more than once.
  private final val Looks = 5
  private final val LookPause = 100L
}
