package io.github.variantshredded.commit

import java.io.IOException
import java.util.UUID

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter
import org.apache.spark.internal.Logging

/** Moves the files that a job has committed to one directory to another directory. */
private[variantshredded] object CommittedMove extends Logging {

  /** Returns whether a name is that of a file or directory that a move may leave when it is undone. */
  def isRest(name: String): Boolean =
    name == CommitNote.DirectoryName || name == FileOutputCommitter.SUCCEEDED_FILE_NAME

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
    val entries = fs.listStatus(from).toSeq.map(entry => entry.getPath -> entry.isDirectory)
    // Files such as _SUCCESS come last.
    val (hidden, shown) = entries.partition { case (path, _) => HiddenNames.hides(path.getName) }
    val placed = (shown ++ hidden).map { case (path, isDirectory) =>
      (path, new Path(to, path.getName), isDirectory)
    }
    placed.foreach {
      case (path, place, true) => if (!HiddenNames.hides(path.getName)) move(path, place)
      case (path, place, _)    =>
        // Another job may have written a file such as _SUCCESS.
        if (!HiddenNames.hides(path.getName) || !fs.exists(place)) {
          // Before the call, which may move the file and throw an exception.
          files += place
          if (!fs.rename(path, place)) throw new IOException(s"Cannot move $path to $place")
        }
    }
  }
}
