package io.github.variantshredded.commit

import java.io.IOException
import java.util.UUID

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter
import org.apache.spark.internal.Logging

/** Moves the files that a job has committed to one directory to another directory. */
private[variantshredded] object CommittedMove extends Logging {

  /** Returns whether a move that is undone may leave this file or directory. */
  def isRest(path: Path): Boolean = HiddenNames.isOfCommitNotes(path) ||
    path.getName == FileOutputCommitter.SUCCEEDED_FILE_NAME

  /**
   * Moves the files below `from` to the same places below `to`, and deletes `from`.
   *
   * The move is a commit of the job that wrote the files: readers of `to` see all of them or none,
   * whether the file system renames directories at once or not. If it fails, no file stays in `to`.
   * If the process dies, the next job that commits to `to` deletes the files that are there.
   */
  def apply(fs: FileSystem, conf: Configuration, from: Path, to: Path): Unit = {
    // A job without files has left no mark.
    val job = CommitNote.listWithLast(fs, from)._2.headOption.getOrElse(UUID.randomUUID.toString)
    val move = new CommittedMove(fs, from, to)
    try ExclusiveCommit(to, conf, job)(_.add(move.run()))
    catch {
      case e: Throwable =>
        try move.undo()
        catch { case further: IOException => e.addSuppressed(further) }
        throw e
    }
    try {
      fs.delete(from, true)
      ()
    } catch { case e: IOException => logWarning(s"Could not delete the directory $from", e) }
  }
}

private final class CommittedMove(fs: FileSystem, from: Path, to: Path) {

  private val files = mutable.ArrayBuffer.empty[Path]
  private val directories = mutable.ArrayBuffer.empty[Path]

  def run(): Unit = move(from, to)

  def undo(): Unit = {
    files.foreach(fs.delete(_, false))
    DataFiles.removeEmpty(fs, to, directories.toSeq)
  }

  /** Moves file by file: a directory that is renamed to an existing one would end up within it. */
  private def move(from: Path, to: Path): Unit = {
    directories += to
    fs.mkdirs(to)
    def place(entry: FileStatus) = new Path(to, entry.getPath.getName)
    val (hidden, shown) =
      fs.listStatus(from).toSeq.partition(entry => HiddenNames.hides(entry.getPath.getName))
    shown.foreach { entry =>
      if (entry.isDirectory) move(entry.getPath, place(entry))
      else moveFile(entry.getPath, place(entry))
    }
    // Files such as _SUCCESS come last. Another job may have written one.
    hidden
      .filter(entry => entry.isFile && !fs.exists(place(entry)))
      .foreach(entry => moveFile(entry.getPath, place(entry)))
  }

  private def moveFile(file: Path, place: Path): Unit = {
    // Before the call, which may move the file and throw an exception.
    files += place
    if (!fs.rename(file, place)) throw new IOException(s"Cannot move $file to $place")
  }
}
