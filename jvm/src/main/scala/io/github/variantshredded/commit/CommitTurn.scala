package io.github.variantshredded.commit

import java.io.IOException

import scala.collection.mutable

import io.github.variantshredded.directory.Uninterrupted
import io.github.variantshredded.errors.{Causes, CommitErrors}
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.internal.Logging

/**
 * Waits until a job is the only living one that commits to a directory.
 *
 * The job writes its own note and then lists the notes. If there are others of living jobs, it
 * deletes its own, waits until there are none, and tries again. So at most one of two jobs goes on,
 * on every file system that lists a file after it was written.
 */
private final class CommitTurn(fs: FileSystem, root: Path, job: String, patience: CommitPatience)
    extends Logging {
  import patience.clock

  private val own = CommitNote(job, CommitState.Adding, Some(WriterProcess.current))
  private val others = new LivingJobs(fs, root, patience)
  private val started = clock.nanos
  private var pause = CommitTurn.ShortestPause

  // When the job began to write its note the last time.
  private var noted = started

  // Since when each look at the notes has ended with a file that is missing.
  private var missingSince = Option.empty[Long]

  // The jobs with marks when the notes were listed, and those that had died.
  private var marked = Set.empty[String]
  private var dead = Set.empty[String]

  /** Returns when the job began to write its note. Others measure its silence from then on. */
  def notedAt: Long = noted

  /** Returns the jobs that had died when this one got its turn. */
  def deadJobs: Set[String] = dead

  /** Returns whether another job had its mark when this one got its turn. */
  def wasMarked(other: String): Boolean = marked(other)

  /** Waits for the turn of the job. If the job fails meanwhile, its note is deleted. */
  def take(): Unit =
    try {
      var isTaken = tryOnce()
      if (!isTaken) logInfo(s"The job $job waits for others that commit to $root")
      while (!isTaken) {
        clock.sleepUpTo(pause)
        pause = math.min(pause * 2, CommitTurn.LongestPause)
        // If all that wait wrote their notes, they would keep each other from their turns.
        isTaken = isFree && tryOnce()
      }
    } catch {
      case e: Throwable =>
        try { val _ = Uninterrupted(CommitNote.remove(fs, root, job)) }
        catch { case further: IOException => e.addSuppressed(further) }
        throw e
    }

  /** Ends the turn of the job, which may take another one. */
  def leave(): Unit = { val _ = fs.delete(own.path(root), false) }

  /** Regards another job as one that lives from now on: it has been silent, and goes on. */
  def regardAsLiving(other: String): Unit = others.forget(other)

  private def tryOnce(): Boolean = {
    val isOnly = isAlone {
      noted = clock.nanos
      CommitNote.write(fs, root, own)
      val found = listed()
      if (found.notes.contains(own.name)) livingOf(found) else None
    }
    if (!isOnly) leave()
    isOnly
  }

  /** Returns whether no living job has a note, before this one writes its own. */
  private def isFree: Boolean = isAlone(livingOf(listed()))

  private def listed(): ListedNotes = {
    val found = others.listed()
    marked = found.marked
    found
  }

  private def isAlone(look: => Option[Seq[CommitNote]]): Boolean = {
    val living =
      try {
        val found = look
        missingSince = None
        found
      } catch {
        // A job that has ended has removed the directory of notes.
        case e: IOException if Causes.isOfMissingFile(e) && isPassing => None
      }
    if (!living.contains(Nil) && clock.millisSince(started) > patience.total)
      throw CommitErrors.concurrentWrite(
        root.toString,
        living.toSeq.flatten.flatMap(_.writer).headOption.fold("another job")(_.toString)
      )
    living.contains(Nil)
  }

  /** Returns whether notes have not been missing at each look for so long that it is an error. */
  private def isPassing: Boolean = {
    val since = missingSince.getOrElse(clock.nanos)
    missingSince = Some(since)
    clock.millisSince(since) < patience.silenceOfUnknown
  }

  /**
   * Returns the note of another living job, or no note if there is none; None if a note came or went
   * while the notes were read.
   */
  private def livingOf(found: ListedNotes): Option[Seq[CommitNote]] = {
    val files = found.notes - own.name
    others.watch(files, found.heartbeats)
    val ofDead = mutable.Set.empty[String]
    // Not all notes are read: the own one may be there meanwhile, and keeps others waiting.
    files.values.iterator.map(CommitNote.read(fs, _)).find { note =>
      val isOfDead = note.exists(others.isDead)
      if (isOfDead) ofDead ++= note.map(_.job)
      !isOfDead
    } match {
      case Some(note) => note.map(Seq(_))
      case None       =>
        dead = ofDead.toSet
        Some(Nil)
    }
  }
}

private object CommitTurn {
  // Pauses between two looks.
  private final val ShortestPause = 20L
  private final val LongestPause = 500L
}
