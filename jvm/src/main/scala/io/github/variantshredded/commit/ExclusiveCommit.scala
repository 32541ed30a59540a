package io.github.variantshredded.commit

import java.io.IOException
import java.util.UUID

import scala.util.control.NonFatal

import io.github.variantshredded.directory.{DataFiles, Uninterrupted}
import io.github.variantshredded.errors.{Causes, CommitErrors, VariantShreddedException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/**
 * Commits one job to a directory while no other job commits there.
 *
 * File systems have neither locks nor an operation that exchanges many files at once. Both are
 * built from notes ([[CommitNote]]). A job waits until there are no notes of other living jobs
 * ([[CommitTurn]]). The notes also tell readers which files to ignore ([[PendingCommits]]), and the
 * next job what a dead job has left to be undone or finished ([[DeadCommits]]).
 */
private[variantshredded] final class ExclusiveCommit private (
    fs: FileSystem,
    root: Path,
    job: String,
    ownership: CommitOwnership,
    clock: CommitClock
) {

  // Whether files of the job may be in their places although they are not committed.
  private var moved = false

  // Whether the next job has to undo or finish this commit.
  private var unfinished = false

  /** Moves the files of the job to their places. They are deleted if the commit fails. */
  def add(move: => Unit): Unit = {
    // Readers would see the files of a job whose note another one has removed.
    if (ownership.isLost) throw CommitErrors.commitTakenOver(root.toString)
    moved = true
    move
    CommitNote.markLast(fs, root, job)
    ownership.require()
  }

  /**
   * Makes readers ignore the files `replaced`, and then deletes these files.
   *
   * @param log
   *   the log of a streaming query, which is removed; readers of this source ignore it from the note
   *   on
   */
  def replace(replaced: Seq[FileStatus], log: Option[Path]): Unit =
    if (replaced.nonEmpty || log.isDefined) {
      val relative = PendingCommits.relative(fs.makeQualified(root))
      val files = replaced.map { file =>
        val path = relative(file.getPath).getOrElse {
          throw new IOException(s"The file ${file.getPath} is not below $root.")
        }
        NotedFile(path, file.getLen, file.getModificationTime)
      }
      val note = CommitNote(
        job,
        CommitState.Replacing,
        Some(WriterProcess.current),
        files,
        log.map(_.getName)
      )
      if (!moved) CommitNote.markLast(fs, root, job)
      try CommitNote.write(fs, root, note)
      catch {
        case e: Throwable =>
          unfinished = Uninterrupted(isThere(note, e))
          throw e
      }
      unfinished = true
      val now = CommitNote.listed(fs, root)
      // Another job that has undone the commit has deleted the mark and the files before the note.
      // One that has finished the commit leaves the files, and the mark until its own commit ends.
      val isFinished = moved && !now.has(job, CommitState.Adding) &&
        (now.marked(job) || DataFiles.existOf(fs, root, job))
      if (!now.isOwn(job) && !isFinished) {
        // Before the next job finishes what another one has undone.
        fs.delete(note.path(root), false)
        unfinished = false
        throw CommitErrors.commitTakenOver(root.toString, mayHaveEnded = true)
      }
      if (!isFinished) {
        try new Replacement(fs, root, note).finish()
        catch {
          case NonFatal(e) => throw Uninterrupted(withdrawn(note, e))
        }
      }
      moved = false
      unfinished = false
    }

  /**
   * Deletes the note of the replaced files if these are all there, so that the commit can fail, and
   * the next ones need not delete what cannot be deleted.
   *
   * This process may have been suspended before each step, and another job may have begun to delete
   * the files. So the note stays if there are traces of others, and the new files stay for
   * these others if the traces come only after the note is gone.
   *
   * @return
   *   the error to throw: `cause` if the commit is sure to be undone
   */
  private def withdrawn(note: CommitNote, cause: Throwable): Throwable = {
    def isSure(body: => Boolean): Boolean =
      try body
      catch {
        case NonFatal(e) =>
          cause.addSuppressed(e)
          false
      }
    val replacement = new Replacement(fs, root, note)
    val isPossible = isSure {
      replacement.isUntouched && ownership.isUndisturbed(note) && replacement.isFirstThere
    }
    val isUndone = isPossible && isSure {
      val _ = CommitNote.deleteNote(fs, note.path(root))
      unfinished = !ownership.isUndisturbed(note)
      !unfinished
    }
    if (isUndone) cause
    else if (isPossible) CommitErrors.commitInDoubt(root.toString, cause)
    else CommitErrors.replacedFilesLeft(root.toString, cause)
  }

  // Whether a note was written although writing it threw an exception. If the first note of the job
  // is gone, another job has undone the commit, or has finished it because it found the note.
  private def isThere(note: CommitNote, cause: Throwable): Boolean =
    try {
      val now = CommitNote.listed(fs, root)
      now.has(job, note.state) || !now.has(job, CommitState.Adding)
    } catch {
      case e: IOException =>
        cause.addSuppressed(e)
        true
    }

  /**
   * Returns the error of a job that fails with `cause`: an error that says so if another job has
   * taken over the commit, and deletes files that this one is about to complete.
   */
  private def explained(cause: Throwable): Throwable = cause match {
    case known: VariantShreddedException                                           => known
    case e if Causes.of(e).exists(_.isInstanceOf[IOException]) && ownership.isLost =>
      CommitErrors.commitTakenOver(root.toString, mayHaveEnded = unfinished, e)
    case other => other
  }

  /**
   * Deletes uncommitted files and the notes after `cause`; what remains is left to the next job.
   */
  private def fail(cause: Throwable): Unit =
    try {
      if (!unfinished) {
        unfinished = true
        if (moved) DataFiles.deleteOf(fs, root, job)
        CommitNote.unmarkLast(fs, root, job)
        CommitNote.remove(fs, root, job)
      }
    } catch { case NonFatal(e) => cause.addSuppressed(e) }

  /** Ends the commit: from now on, readers see the new files. */
  private def end(): Unit = {
    val started = clock.nanos
    if (!CommitNote.remove(fs, root, job, onlyOwn = moved)) {
      val error = CommitErrors.commitTakenOver(root.toString)
      // The other job may not end what it has begun.
      if (CommitNote.listed(fs, root).has(job, CommitState.Adding)) fail(error)
      throw error
    }
    if (moved && ownership.isUndoneSince(started)) {
      val error = CommitErrors.commitTakenOver(root.toString, mayHaveEnded = true)
      fail(error)
      throw error
    }
  }
}

private[variantshredded] object ExclusiveCommit {

  /**
   * Runs `body`, which neither adds nor replaces data files, while no job commits to `root`. Before
   * that, commits of dead jobs are undone or finished.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CONCURRENT_WRITE` if other jobs commit for half an hour
   */
  def alone[T](root: Path, conf: Configuration)(body: => T): T =
    ExclusiveCommit(root, conf, UUID.randomUUID.toString)(_ => body)

  /**
   * Runs `body` while no other job commits to `root`. Before that, commits of dead jobs are undone
   * or finished.
   *
   * @param job
   *   id of the job, which is a part of the names of its files
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CONCURRENT_WRITE` if other jobs commit for half an hour
   */
  def apply[T](
      root: Path,
      conf: Configuration,
      job: String,
      patience: CommitPatience = CommitPatience()
  )(body: ExclusiveCommit => T): T = {
    val fs = root.getFileSystem(conf)
    val clock = patience.clock
    val turn = new CommitTurn(fs, root, job, patience)
    val ownership = new CommitOwnership(fs, root, job, turn, clock)
    val commit = new ExclusiveCommit(fs, root, job, ownership, clock)
    ActiveJobs.add(job)
    try {
      turn.take()
      val heartbeat = Heartbeat.start(fs, CommitNote.heartbeat(root, job), clock)
      val result =
        try {
          val dead = new DeadCommits(fs, root, turn, clock)
          while (!dead.end()) turn.take()
          body(commit)
        } catch {
          case e: Throwable =>
            throw Uninterrupted {
              try {
                val error = commit.explained(e)
                commit.fail(error)
                error
              } finally heartbeat.close()
            }
        }
      heartbeat.close()
      commit.end()
      result
    } finally ActiveJobs.remove(job)
  }
}
