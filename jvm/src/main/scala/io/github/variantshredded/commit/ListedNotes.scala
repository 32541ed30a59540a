package io.github.variantshredded.commit

import org.apache.hadoop.fs.FileStatus

/**
 * Holds what the directory of a table's notes tells at one moment.
 *
 * @param notes
 *   the notes by name
 * @param heartbeats
 *   the heartbeats by job ([[CommitNote.heartbeat]])
 * @param marked
 *   the jobs with marks ([[CommitNote.markLast]])
 * @param undoNotices
 *   the jobs with undo notices ([[CommitNote.writeUndoNotice]])
 */
private[commit] final case class ListedNotes(
    notes: Map[String, FileStatus],
    heartbeats: Map[String, FileStatus],
    marked: Set[String],
    undoNotices: Set[String]
) {

  /** Returns whether there is the note of a job in this state. */
  def has(job: String, state: CommitState): Boolean =
    notes.contains(CommitNote(job, state, None).name)

  /** Returns whether another job has undone the commit of a job that has a mark, or is about to. */
  def isUndone(job: String): Boolean = undoNotices(job) || !marked(job)

  /** Returns whether a job that has a mark still commits, and no other job undoes that. */
  def isOwn(job: String): Boolean = has(job, CommitState.Adding) && !isUndone(job)
}
