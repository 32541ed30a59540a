package io.github.variantshredded.commit

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.github.variantshredded.directory.Directories
import io.github.variantshredded.errors.CommitErrors
import io.github.variantshredded.spark.EmptyDirectories
import org.apache.hadoop.fs.{FileStatus, FileSystem, ParentNotDirectoryException, Path}
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.internal.Logging

/**
 * Represents a commit note: a file that a job writes to the directory `_variant_shredded_commits`
 * of a table while it commits.
 *
 * @param job
 *   id of the job, which is a part of the names of all its files
 * @param writer
 *   the process that commits; None if the note cannot be read
 * @param replaced
 *   the files that readers have to ignore, with paths relative to the table
 * @param log
 *   name of the directory with the log of a streaming query, if the commit replaces that too
 */
private[commit] final case class CommitNote(
    job: String,
    state: CommitState,
    writer: Option[WriterProcess],
    replaced: Seq[NotedFile] = Nil,
    log: Option[String] = None
) {

  /** Returns the name of the note's file. */
  def name: String = CommitNote.nameOf(job, state.suffix)

  /** Returns the path of the note's file in the table `root`. */
  def path(root: Path): Path = new Path(NotesDirectory.of(root), name)
}

private[commit] object CommitNote extends Logging {

  private val Json = new ObjectMapper

  /**
   * Returns the name of a job's file in the directory of notes. It begins with `_`: a pattern of
   * paths may match the directory itself, and then engines read its files, except those with such
   * names.
   */
  private def nameOf(job: String, suffix: String): String = Hidden + job + suffix

  private def fileOf(root: Path, job: String, suffix: String): Path =
    new Path(NotesDirectory.of(root), nameOf(job, suffix))

  /** Returns the name that a file has now. Names did not begin with `_` in earlier versions. */
  private def nameOf(file: FileStatus): String = Hidden + file.getPath.getName.stripPrefix(Hidden)

  /** Returns the job whose note has this name; None if the note is of another state. */
  def jobOf(name: String, state: CommitState): Option[String] = jobOf(name, state.suffix)

  private def jobOf(name: String, suffix: String): Option[String] =
    Option.when(name.endsWith(suffix))(name.stripPrefix(Hidden).stripSuffix(suffix))

  /**
   * Lists the directory of notes.
   *
   * @param isMissing
   *   whether the directory of notes is probably missing. An object store says in one request that
   *   it is; a listing of a missing directory takes two.
   */
  def listed(fs: FileSystem, root: Path, isMissing: Boolean = false): ListedNotes =
    listed(listAll(fs, root, isMissing))

  private def listed(files: Seq[FileStatus]): ListedNotes = {
    val byName = files.map(file => nameOf(file) -> file).toMap
    ListedNotes(
      byName.filter { case (name, _) => isNote(name) },
      heartbeats = byName.flatMap { case (name, file) => jobOf(name, Alive).map(_ -> file) },
      marked = byName.keySet.flatMap(jobOf(_, Last)),
      undoNotices = byName.keySet.flatMap(jobOf(_, Undone))
    )
  }

  /** Returns the last jobs that have committed to a directory, according to their marks. */
  def lastJobs(fs: FileSystem, root: Path): Set[String] = listed(fs, root).marked

  private def isNote(name: String): Boolean =
    CommitState.All.exists(state => name.endsWith(state.suffix))

  private def listAll(fs: FileSystem, root: Path, isMissing: Boolean): Seq[FileStatus] =
    try {
      if (isMissing && !Directories.exists(fs, NotesDirectory.of(root))) Nil
      else fs.listStatus(NotesDirectory.of(root)).toSeq.filterNot(_.isDirectory)
    } catch {
      case _: FileNotFoundException | _: ParentNotDirectoryException => Nil
      // HDFS, where `root` is a file.
      case e: AccessControlException if String.valueOf(e.getMessage).contains("not a directory") =>
        Nil
    }

  /** Reads a note as [[readPresent]] does; the result is None if the note has been removed. */
  def read(fs: FileSystem, file: FileStatus): Option[CommitNote] =
    try Some(readPresent(fs, file))
    catch { case _: FileNotFoundException => None }

  /**
   * Reads a note that has not been removed.
   *
   * @return
   *   a note without a writer if its content cannot be read and its name says that the job adds
   *   files
   * @throws java.io.FileNotFoundException
   *   if the note cannot be opened. Local files that are closed to the user have this error too.
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_COMMIT_NOTE` if the content of a note `replacing` is damaged
   */
  def readPresent(fs: FileSystem, file: FileStatus): CommitNote = {
    val name = nameOf(file)
    val (state, job) =
      CommitState.All.flatMap(state => jobOf(name, state).map(state -> _)).head
    val content =
      try {
        val bytes = Using.resource(fs.open(file.getPath))(_.readAllBytes())
        Option(Json.readTree(bytes)).filter(_.isObject).getOrElse(Json.createObjectNode)
      } catch {
        case e: FileNotFoundException                      => throw e
        case _: IOException if state == CommitState.Adding => Json.createObjectNode
        case e: JsonProcessingException                    =>
          throw CommitErrors.lostNote(file.getPath.toString, e)
      }
    if (state == CommitState.Replacing && !content.path("replaced").isArray)
      throw CommitErrors.lostNote(file.getPath.toString)
    CommitNote(
      job,
      state,
      WriterProcess.read(content),
      content.path("replaced").elements.asScala.map(replacedFile).toSeq,
      Option(content.get("log")).map(_.asText)
    )
  }

  private def replacedFile(node: JsonNode): NotedFile =
    NotedFile(node.get(0).asText, node.get(1).asLong, node.get(2).asLong)

  /** Writes a note atomically. */
  def write(fs: FileSystem, root: Path, note: CommitNote): Unit = {
    val content = Json.createObjectNode
    note.writer.foreach(_.write(content))
    val replaced = content.putArray("replaced")
    note.replaced.foreach { file =>
      replaced.addArray().add(file.path).add(file.length).add(file.modified)
    }
    note.log.foreach(content.put("log", _))
    val target = note.path(root)
    val unfinished = target.suffix(Unfinished)
    Using.resource(fs.create(unfinished, true)) { out =>
      out.write(content.toString.getBytes(StandardCharsets.UTF_8))
    }
    if (!fs.rename(unfinished, target)) throw new IOException(s"Unable to write $target.")
  }

  /**
   * Writes a mark, an empty file, that says that `job` was the last one to commit. If a reader
   * finds the same mark before and after it lists files, no commit has begun and ended in the
   * meantime.
   */
  def markLast(fs: FileSystem, root: Path, job: String): Unit =
    fs.create(mark(root, job), true).close()

  /** Deletes the mark. */
  def unmarkLast(fs: FileSystem, root: Path, job: String): Unit = {
    fs.delete(mark(root, job), false)
    ()
  }

  private def mark(root: Path, job: String): Path = fileOf(root, job, Last)

  /** Writes an undo notice: it tells a job, if it still runs, that another one undoes its commit. */
  def writeUndoNotice(fs: FileSystem, root: Path, job: String): Unit =
    fs.create(undoNotice(root, job), true).close()

  /** Deletes the undo notice. */
  def deleteUndoNotice(fs: FileSystem, root: Path, job: String): Unit = {
    fs.delete(undoNotice(root, job), false)
    ()
  }

  private def undoNotice(root: Path, job: String): Path = fileOf(root, job, Undone)

  /**
   * Deletes the notes of a job, in such an order that the remaining ones are true at each moment.
   * If the job has written a mark, the marks of earlier jobs are deleted. Without the note `adding`,
   * the commit has taken effect or has been undone: what cannot be deleted then is left to the next
   * job.
   *
   * @param onlyOwn
   *   whether the notes stay if another job undoes the commit, which removes the mark and writes an
   *   undo notice ([[writeUndoNotice]]) before it deletes files
   * @return
   *   false with `onlyOwn` if another job undoes or has undone the commit
   */
  def remove(fs: FileSystem, root: Path, job: String, onlyOwn: Boolean = false): Boolean = {
    // Later, the mark of the next job could be among them.
    val before =
      try Some(fs.listStatus(NotesDirectory.of(root)).toSeq)
      catch { case _: IOException => None } // Another job has removed the directory.
    if (onlyOwn && before.exists(listed(_).isUndone(job))) false
    else removeListed(fs, root, job, before.getOrElse(Nil)) || !onlyOwn
  }

  private def removeListed(
      fs: FileSystem,
      root: Path,
      job: String,
      before: Seq[FileStatus]
  ): Boolean = {
    val notes = NotesDirectory.of(root)
    def delete(state: CommitState) = deleteNote(fs, new Path(notes, nameOf(job, state.suffix)))
    // Alone, the note "adding" would hide the new files.
    val isOwn = delete(CommitState.Adding) || fs.exists(mark(root, job))
    try {
      val _ = delete(CommitState.Replacing)
      fs.delete(heartbeat(root, job), false)
      removeRestsOf(fs, notes, before, job)
    } catch {
      // Often, another job uses or has removed the directory.
      case e: IOException => logInfo(s"Could not delete all files of the job $job in $notes", e)
    }
    isOwn
  }

  /** Deletes a note; false if it was not there. Some stores delete a file and raise an exception. */
  def deleteNote(fs: FileSystem, note: Path): Boolean =
    try {
      val isDeleted = fs.delete(note, false)
      if (!isDeleted && fs.exists(note)) throw new IOException(s"Unable to delete $note.")
      isDeleted
    } catch {
      case e: IOException =>
        val isThere =
          try fs.exists(note)
          catch { case _: IOException => true }
        if (isThere) throw e
        false
    }

  /** Deletes what else a job and its predecessors have left, of the files that were there `before`. */
  private def removeRestsOf(
      fs: FileSystem,
      notes: Path,
      before: Seq[FileStatus],
      job: String
  ): Unit = {
    val marked = before.exists(nameOf(_) == nameOf(job, Last))
    val removed = CommitState.All.map(state => nameOf(job, state.suffix)).toSet + nameOf(job, Alive)
    val (obsolete, others) =
      before.filterNot(file => removed(file.getPath.getName)).partition { file =>
        val name = nameOf(file)
        val own = name.startsWith(nameOf(job, ""))
        isAbandoned(file) || (if (name.endsWith(Last)) marked && !own else own)
      }
    // Notes with the names of earlier versions are among them: "adding" before "replacing".
    obsolete.sortBy(nameOf(_)).foreach(file => fs.delete(file.getPath, false))
    if (others.isEmpty) EmptyDirectories.remove(fs, notes)
  }

  /** Removes the directory of notes, and the files in it that are no notes, if it has no notes. */
  def removeRests(fs: FileSystem, root: Path): Unit = {
    val files = listAll(fs, root, isMissing = false).map(_.getPath)
    if (!files.exists(file => isNote(file.getName))) {
      files.foreach(fs.delete(_, false))
      EmptyDirectories.remove(fs, NotesDirectory.of(root))
    }
    ()
  }

  // Whether a file is a rest of a process that died while it wrote the file.
  private def isAbandoned(file: FileStatus): Boolean =
    Seq(Unfinished, Alive, Undone).exists(file.getPath.getName.endsWith(_)) &&
      file.getModificationTime < System.currentTimeMillis - Day

  /** Returns the path of the file that a job rewrites from time to time while it commits. */
  def heartbeat(root: Path, job: String): Path = fileOf(root, job, Alive)

  private final val Hidden = "_"
  private final val Unfinished = ".tmp"
  private final val Alive = ".alive"
  private final val Last = ".last"
  private final val Undone = ".undone"
  private final val Day = 24 * 60 * 60 * 1000L
}
