package io.github.variantshredded.commit

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/**
 * Watches the jobs that have notes, for a job that waits for its turn, and tells which of them have
 * died: by their processes, or else by how long their notes and heartbeats have not changed.
 */
private final class LivingJobs(fs: FileSystem, root: Path, patience: CommitPatience) {
  import LivingJobs._
  import patience.clock

  private val watched = mutable.Map.empty[String, Watched]

  // When the notes were listed the last time. What has not changed until then is silent, however
  // long it takes to read the notes.
  private var listedAt = clock.nanos

  // When the last listing ended.
  private var lookedAt = listedAt

  /** Lists the notes. */
  def listed(): ListedNotes = {
    listedAt = clock.nanos
    val found = CommitNote.listed(fs, root)
    // Silence counts only while this job looks often: a file system that does not answer keeps
    // the other jobs from writing their heartbeats too.
    val nanos = clock.nanos - lookedAt
    if (nanos > Heartbeat.Period * 1000000)
      watched.mapValuesInPlace((_, file) => file.copy(since = file.since + nanos))
    lookedAt = clock.nanos
    found
  }

  /**
   * Keeps since when notes and the heartbeats of their jobs have not changed, measured with this
   * process's clock, because other clocks may differ.
   */
  def watch(notes: Map[String, FileStatus], heartbeats: Map[String, FileStatus]): Unit =
    notes.foreach { case (name, file) =>
      val job = CommitState.All.flatMap(CommitNote.jobOf(name, _)).head
      val modified = (heartbeats.get(job).toSeq :+ file).map(_.getModificationTime).max
      if (!watched.get(name).exists(_.modified == modified))
        watched(name) = Watched(modified, clock.nanos)
    }

  /** Forgets for how long a job has been silent: it has gone on. */
  def forget(job: String): Unit = watched --= CommitState.All.map(CommitNote(job, _, None).name)

  /** Returns whether the job of a note that is watched has died. */
  def isDead(note: CommitNote): Boolean = note.writer match {
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
}

private object LivingJobs {

  /** Says when files were modified the last time, and when a job has seen that. */
  private final case class Watched(modified: Long, since: Long)
}
