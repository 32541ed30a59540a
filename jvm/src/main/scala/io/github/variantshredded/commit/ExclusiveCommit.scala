package io.github.variantshredded.commit

import java.io.{FileNotFoundException, IOException}
import java.util.UUID

import scala.collection.mutable
import scala.util.Try
import scala.util.control.NonFatal

import io.github.variantshredded.directory.{DataFiles, ManyCalls}
import io.github.variantshredded.errors.{Causes, VariantShreddedErrors, VariantShreddedException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.Logging

/**
 * Commits one job to a directory while no other job commits there.
 *
 * File systems have neither locks nor an operation that exchanges many files at once. Both are
 * built from notes ([[CommitNote]]). A job writes its own note and then lists the notes. If there
 * are others of living jobs, it deletes its own, waits until there are none, and tries again. So at
 * most one of two jobs goes on, on every file system that lists a file after it was written. The
 * notes also tell readers which files to ignore ([[PendingCommits]]), and the next job what a dead
 * job has left to be undone or finished.
 */
private[variantshredded] final class ExclusiveCommit private (
    fs: FileSystem,
    root: Path,
    job: String,
    turn: ExclusiveCommit.Turn
) extends Logging {
  import turn.clock

  // Whether files of the job may be in their places although they are not committed.
  private var moved = false

  // Whether the next job has to undo or finish this commit.
  private var unfinished = false

  /** Moves the files of the job to their places. They are deleted if the commit fails. */
  def add(move: => Unit): Unit = {
    // Readers would see the files of a job whose note another one has removed.
    if (isTakenOver) throw VariantShreddedErrors.commitTakenOver(root.toString)
    moved = true
    move
    CommitNote.markLast(fs, root, job)
    requireOwn()
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
          unfinished = isThere(note, e)
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
        throw VariantShreddedErrors.commitTakenOver(root.toString, mayHaveEnded = true)
      }
      if (!isFinished) {
        try ExclusiveCommit.finish(fs, root, note)
        catch {
          case NonFatal(e) => throw withdrawn(note, e)
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
   * the files. So the note stays if there are signs of others, and the new files stay for these
   * others if the signs come only after the note is gone.
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
    val isPossible = isSure {
      ExclusiveCommit.isUntouched(fs, root, note) && isUndisturbed(note) &&
      ExclusiveCommit.isFirstThere(fs, root, note)
    }
    val isUndone = isPossible && isSure {
      val _ = CommitNote.deleteNote(fs, note.path(root))
      unfinished = !isUndisturbed(note)
      !unfinished
    }
    if (isUndone) cause
    else if (isPossible) VariantShreddedErrors.commitInDoubt(root.toString, cause)
    else VariantShreddedErrors.replacedFilesLeft(root.toString, cause)
  }

  /**
   * Returns whether no other job regards this one as dead: such a job has a note of its own until it
   * has finished or undone this commit, and removes the notes of this job then. A job that waits has
   * a note too, but only for moments.
   */
  private def isUndisturbed(note: CommitNote): Boolean = {
    val own = CommitNote(job, CommitState.Adding, None).name
    def isNow: Boolean = {
      val now = CommitNote.listed(fs, root)
      now.notes.contains(own) && now.marked(job) && (now.notes.keySet - own - note.name).isEmpty
    }
    isNow || (1 until ExclusiveCommit.Looks).exists { _ =>
      clock.sleep(ExclusiveCommit.LongPause / 5)
      isNow
    }
  }

  // Whether a note was written although writing it threw an exception.
  private def isThere(note: CommitNote, cause: Throwable): Boolean =
    try CommitNote.list(fs, root).contains(note.name)
    catch {
      case e: IOException =>
        cause.addSuppressed(e)
        true
    }

  /**
   * Returns the error of a job that fails with `cause`: an error that says so if another job has
   * taken over the commit, and deletes files that this one is about to complete.
   */
  private def explained(cause: Throwable): Throwable = cause match {
    case known: VariantShreddedException                                      => known
    case e if Causes.of(e).exists(_.isInstanceOf[IOException]) && isTakenOver =>
      VariantShreddedErrors.commitTakenOver(root.toString, mayHaveEnded = unfinished, e)
    case other => other
  }

  /** Returns whether another job undoes or has undone this commit, or has finished it. */
  private def isTakenOver: Boolean = mayBeTakenOver &&
    (try {
      val now = CommitNote.listed(fs, root)
      now.undone(job) || (!now.has(job, CommitState.Adding) && fs.exists(root))
    } catch { case _: IOException => false })

  /** Returns whether the job has had its note for so long that another one may regard it as dead. */
  private def mayBeTakenOver: Boolean =
    clock.millisSince(turn.notedAt) >= ExclusiveCommit.ShortTurn

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
    } catch { case e: IOException => cause.addSuppressed(e) }

  /** Ends the commit: from now on, readers see the new files. */
  private def end(): Unit = {
    val started = clock.nanos
    if (!CommitNote.remove(fs, root, job, onlyOwn = moved)) {
      val error = VariantShreddedErrors.commitTakenOver(root.toString)
      // The other job may not end what it has begun.
      if (CommitNote.listed(fs, root).has(job, CommitState.Adding)) fail(error)
      throw error
    }
    val isSure = clock.millisSince(started) < ExclusiveCommit.SureMillis
    if (moved && !isSure && mayBeTakenOver && isUndoneLater) {
      val error = VariantShreddedErrors.commitTakenOver(root.toString, mayHaveEnded = true)
      fail(error)
      throw error
    }
  }

  /**
   * Returns whether another job has undone this commit although its note is deleted: this process
   * was suspended just before, and the other job found the note. That job removes its sign when it
   * has deleted the files of this commit, or has noticed that the note is gone.
   */
  private def isUndoneLater: Boolean =
    try {
      val started = clock.nanos
      var now = CommitNote.listed(fs, root)
      while (now.undone(job) && clock.millisSince(started) < ExclusiveCommit.LongestUndoing) {
        clock.sleep(ExclusiveCommit.LongPause)
        now = CommitNote.listed(fs, root)
      }
      now.undone(job) || (!now.marked(job) && !DataFiles.existOf(fs, root, job))
    } catch {
      case e: IOException =>
        logInfo(s"Could not look whether the commit to $root was undone", e)
        false
    }

  /**
   * Throws an error if another job has undone this commit while this process was suspended, or is
   * about to. The mark of this job is written before; another job writes its sign before it looks
   * for the mark. So at least one of the two notices the other.
   */
  private def requireOwn(): Unit =
    if (!CommitNote.listed(fs, root).isOwn(job))
      throw VariantShreddedErrors.commitTakenOver(root.toString)
}

private[variantshredded] object ExclusiveCommit extends Logging {

  private final val ShortPause = 20L
  private final val LongPause = 500L

  // Another job that has written a sign waits longer than this before it looks for the note of this
  // one. So a note that is deleted in this time after a look for the sign is not found.
  private final val SureMillis = LongPause * 4 / 5

  // In this time, no other job regards one as dead that has written its note.
  private final val ShortTurn = 30 * 1000L

  // How long a job waits for another one that may be undoing its commit.
  private final val LongestUndoing = 5 * 60 * 1000L

  // Notes of jobs that wait come and go, so that a job looks for others more than once.
  private final val Looks = 5

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
    val turn = new Turn(fs, root, job, patience)
    val commit = new ExclusiveCommit(fs, root, job, turn)
    ActiveJobs.add(job)
    try {
      def take(): Unit =
        try turn.take()
        catch {
          case e: Throwable =>
            turn.giveUp(e)
            throw e
        }
      take()
      val sign = SignOfLife.start(fs, CommitNote.signOfLife(root, job), turn.clock)
      val result =
        try {
          while (!turn.recover()) take()
          body(commit)
        } catch {
          case e: Throwable =>
            val error = commit.explained(e)
            commit.fail(error)
            sign.close()
            throw error
        }
      sign.close()
      commit.end()
      result
    } finally ActiveJobs.remove(job)
  }

  /**
   * Returns whether nothing has been deleted of what a commit replaces. A log counts as deleted: it
   * is removed first, and not at once on every file system.
   */
  private def isUntouched(fs: FileSystem, root: Path, note: CommitNote): Boolean =
    note.log.isEmpty && isFirstThere(fs, root, note) &&
      ManyCalls.map(note.replaced.drop(1))(isThere(fs, root, _)).forall(identity)

  /** Returns whether the file is there that is deleted first of those that a commit replaces. */
  private def isFirstThere(fs: FileSystem, root: Path, note: CommitNote): Boolean =
    note.replaced.headOption.forall(isThere(fs, root, _))

  private def isThere(fs: FileSystem, root: Path, file: NotedFile): Boolean =
    try file.is(fs.getFileStatus(PendingCommits.resolve(root, file.path)))
    catch { case _: FileNotFoundException => false }

  /**
   * Deletes the files that a commit has replaced. The first one is deleted before the others, so
   * that nothing is deleted if the file system does not allow it.
   */
  private def finish(fs: FileSystem, root: Path, note: CommitNote): Unit = {
    note.log.foreach(name => DataFiles.removeAtOnce(fs, new Path(root, name), note.job))
    def path(file: NotedFile) = PendingCommits.resolve(root, file.path)
    def delete(file: NotedFile): Unit =
      if (isThere(fs, root, file) && !fs.delete(path(file), false) && fs.exists(path(file)))
        throw new IOException(s"Unable to delete ${path(file)}, which a commit replaces.")
    note.replaced.take(1).foreach(delete)
    ManyCalls.map(note.replaced.drop(1))(delete)
    DataFiles.removeEmpty(fs, root, note.replaced.map(path(_).getParent))
  }

  /** Waits until a job is the only one that commits. */
  private final class Turn(fs: FileSystem, root: Path, job: String, patience: CommitPatience) {

    private val own = CommitNote(job, CommitState.Adding, Some(WriterProcess.current))
    val clock: CommitClock = patience.clock

    private val started = clock.nanos
    private val watched = mutable.Map.empty[String, Watched]
    private var pause = ShortPause

    // When the notes that the job has read were listed. What has not changed until then is silent,
    // however long it takes to read the notes.
    private var listedAt = started

    // When the last listing ended.
    private var lookedAt = started

    // When the job began to write its note the last time.
    private var noted = started

    // Since when each look at the notes has ended with a file that is missing.
    private var missingSince = Option.empty[Long]

    // The jobs with marks when the notes were listed, and those that had died.
    private var marked = Set.empty[String]
    private var dead = Set.empty[String]

    /** Returns when the job began to write its note. Others measure its silence from then on. */
    def notedAt: Long = noted

    def take(): Unit = {
      var isTaken = tryOnce()
      if (!isTaken) logInfo(s"The job $job waits for others that commit to $root")
      while (!isTaken) {
        clock.sleepUpTo(pause)
        pause = math.min(pause * 2, LongPause)
        // If all that wait wrote their notes, they would keep each other from their turns.
        isTaken = isFree && tryOnce()
      }
    }

    /** Deletes the job's note, because other jobs wait for it. */
    def giveUp(cause: Throwable): Unit =
      try { val _ = CommitNote.remove(fs, root, job) }
      catch { case e: IOException => cause.addSuppressed(e) }

    private def tryOnce(): Boolean = {
      val isOnly = isAlone {
        noted = clock.nanos
        CommitNote.write(fs, root, own)
        val found = listed()
        if (found.notes.contains(own.name)) livingOf(found) else None
      }
      if (!isOnly) fs.delete(own.path(root), false)
      isOnly
    }

    /** Returns whether no living job has a note, before this one writes its own. */
    private def isFree: Boolean = isAlone(livingOf(listed()))

    private def listed(): ListedNotes = {
      listedAt = clock.nanos
      val found = CommitNote.listed(fs, root)
      // Silence counts only while this job looks often: a file system that does not answer keeps
      // the other jobs from giving signs of life too.
      val nanos = clock.nanos - lookedAt
      if (nanos > SignOfLife.Period * 1000000)
        watched.mapValuesInPlace((_, file) => file.copy(since = file.since + nanos))
      lookedAt = clock.nanos
      marked = found.marked
      found
    }

    private def isAlone(look: => Option[Seq[CommitNote]]): Boolean = {
      val others =
        try {
          val found = look
          missingSince = None
          found
        } catch {
          // A job that has ended has removed the directory of notes.
          case e: IOException if Causes.isOfMissingFile(e) && isPassing => None
        }
      if (!others.contains(Nil) && clock.millisSince(started) > patience.total)
        throw VariantShreddedErrors.concurrentWrite(
          root.toString,
          others.toSeq.flatten.flatMap(_.writer).headOption.fold("another job")(_.toString)
        )
      others.contains(Nil)
    }

    /** Returns whether notes have not been missing at each look for so long that it is an error. */
    private def isPassing: Boolean = {
      val since = missingSince.getOrElse(clock.nanos)
      missingSince = Some(since)
      clock.millisSince(since) < patience.silenceOfUnknown
    }

    /**
     * Returns the note of another living job, or no note if there is none; None if a note came or
     * went while the notes were read.
     */
    private def livingOf(found: ListedNotes): Option[Seq[CommitNote]] = {
      val files = found.notes - own.name
      watch(files, found.alive)
      val ofDead = mutable.Set.empty[String]
      // Not all notes are read: the own one may be there meanwhile, and keeps others waiting.
      files.values.iterator.map(CommitNote.read(fs, _)).find { note =>
        val isOfDead = note.exists(isDead)
        if (isOfDead) ofDead ++= note.map(_.job)
        !isOfDead
      } match {
        case Some(note) => note.map(Seq(_))
        case None       =>
          dead = ofDead.toSet
          Some(Nil)
      }
    }

    /**
     * Undoes or finishes the commits of dead jobs; no other job does this at the same time. The
     * notes of other jobs are left: these wait, and have a note while they look whether it is their
     * turn.
     *
     * @return
     *   false if one of these jobs has only been silent and goes on: then this job has no turn
     */
    def recover(): Boolean = dead.isEmpty || {
      val files = CommitNote.list(fs, root)
      val left = files.values.toSeq.flatMap(CommitNote.read(fs, _))
      val jobs = left.filter(note => dead(note.job)).groupBy(_.job)
      val undone = jobs.values.filter(_.forall(_.state == CommitState.Adding)).flatten
      // The jobs with signs that say what is not true, unless this job looks at them.
      val signed = mutable.Set.empty[String]
      try {
        undone.foreach { note =>
          signed += note.job
          CommitNote.markUndone(fs, root, note.job)
        }
        // A job that has only been silent and looked just before goes on meanwhile.
        if (undone.exists(mayRun)) clock.sleep(LongPause)
        jobs.forall { case (job, notes) =>
          signed -= job
          endDead(job, notes, files)
        } || {
          fs.delete(own.path(root), false)
          false
        }
      } finally signed.foreach(job => Try(CommitNote.unmarkUndone(fs, root, job)))
    }

    /** Undoes or finishes the commit of a dead job; false if it goes on. */
    private def endDead(
        job: String,
        notes: Seq[CommitNote],
        files: Map[String, FileStatus]
    ): Boolean = {
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
          CommitNote.unmarkUndone(fs, root, job)
          try finish(fs, root, note)
          catch {
            case NonFatal(e) => throw VariantShreddedErrors.replacedFilesLeft(root.toString, e)
          }
          CommitNote.remove(fs, root, job)
        case None => undo(job)
      }
    }

    private def mayRun(note: CommitNote): Boolean =
      !note.writer.exists(process => process.isCurrent || process.runs.contains(false))

    /** Undoes a commit, and returns true, unless its job has gone on meanwhile. */
    private def undo(job: String): Boolean = {
      val found = CommitNote.listed(fs, root)
      val isThere = found.has(job, CommitState.Adding)
      val goesOn =
        found.has(job, CommitState.Replacing) || (found.marked(job) && !marked(job))
      if (isThere && !goesOn) {
        CommitNote.unmarkLast(fs, root, job)
        DataFiles.deleteOf(fs, root, job)
        CommitNote.remove(fs, root, job)
      } else {
        CommitNote.unmarkUndone(fs, root, job)
        // It has been silent, and gives signs of life from now on.
        watched --= CommitState.All.map(CommitNote(job, _, None).name)
        !isThere
      }
    }

    private def isDead(note: CommitNote): Boolean = note.writer match {
      case Some(process) if process.isCurrent => !ActiveJobs.contains(note.job)
      case other                              =>
        other.flatMap(_.runs) match {
          case Some(false) => true
          case Some(true)  => isSilent(note, patience.silenceOfRunning)
          case None        => isSilent(note, patience.silenceOfUnknown)
        }
    }

    private def isSilent(note: CommitNote, lease: Long): Boolean =
      (listedAt - watched(note.name).since) / 1000000 > lease

    /**
     * Keeps since when the notes and the signs of life of their jobs have not changed, measured
     * with this process's clock, because other clocks may differ.
     */
    private def watch(files: Map[String, FileStatus], signs: Map[String, FileStatus]): Unit =
      files.foreach { case (name, file) =>
        val job = CommitState.All.flatMap(CommitNote.jobOf(name, _)).head
        val modified = (signs.get(job).toSeq :+ file).map(_.getModificationTime).max
        if (!watched.get(name).exists(_.modified == modified))
          watched(name) = Watched(modified, clock.nanos)
      }
  }

  private final case class Watched(modified: Long, since: Long)
}
