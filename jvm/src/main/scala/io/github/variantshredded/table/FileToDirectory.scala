package io.github.variantshredded.table

import java.io.{FileNotFoundException, IOException}
import java.util.UUID

import io.github.variantshredded.commit.{CommittedMove, ExclusiveCommit}
import io.github.variantshredded.directory.{Directories, HiddenNames, Uninterrupted}
import io.github.variantshredded.errors.CommitErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, FileSystem, Path}
import org.apache.spark.internal.Logging

/**
 * Replaces a file by a directory of the same name.
 *
 * {{{
 * rows       -> a directory beside the file, with a name that readers ignore
 * file       -> renamed to a name that readers ignore
 * directory  -> its files are moved to a directory with the name of the file, in one commit
 * file       -> deleted
 * }}}
 *
 * If a step fails, the file gets its name back. If the process dies before the commit, the next save
 * to the path gives the file its name back ([[restore]]).
 */
private[variantshredded] object FileToDirectory extends Logging {

  /**
   * Replaces the file `path` by the directory that `save` writes.
   *
   * @param check
   *   throws an error if the directory must not get the files beside those of other jobs
   */
  def apply(fs: FileSystem, conf: Configuration, path: Path, check: () => Unit)(
      save: Path => Unit
  ): Unit = {
    val staging = Directories.child(path.getParent, stagingPrefix(path) + UUID.randomUUID())
    val old = CommittedMove.aside(path)
    // Whether this job may have put the file aside.
    var isAside = false
    // Whether it has certainly done so.
    var wasAside = false
    // Whether another job has committed rows in the place of the file.
    var isReplaced = false
    requireNone(fs, old, path)
    try {
      save(staging)
      if (!isFile(fs, path)) throw CommitErrors.fileReplaced(path.toString)
      requireNone(fs, old, path)
      isAside = true
      isAside = isRenamed(fs, path, old)
      if (!isAside) throw CommitErrors.fileReplaced(path.toString)
      wasAside = true
      CommittedMove(fs, conf, staging, path) {
        isReplaced = PathSave.hasData(fs, path)
        if (isReplaced)
          throw CommitErrors.fileReplaced(path.toString, Some(old.toString))
        check()
      }
    } catch {
      case e: Throwable =>
        var error = e
        try
          Uninterrupted {
            if (isAside && isFile(fs, path)) {
              // A file system that copies to rename may have failed to delete the file. Otherwise,
              // another save has taken this job for dead, and given the file its name back.
              if (!fs.delete(old, false) && wasAside) {
                error = CommitErrors.fileReplaced(path.toString)
                error.addSuppressed(e)
              }
            } else if (isAside && fs.exists(old) && isFree(fs, path)) rename(fs, old, path)
            // Without the directory, the next save would not give the file its name back.
            if (!isAside || isReplaced || !fs.exists(old)) { val _ = fs.delete(staging, true) }
          }
        catch { case further: IOException => e.addSuppressed(further) }
        throw error
    }
    fs.delete(old, false)
    ()
  }

  // The file there may be the only copy of the rows that another job is about to replace.
  private def requireNone(fs: FileSystem, old: Path, path: Path): Unit =
    if (fs.exists(old)) throw CommitErrors.fileReplacedByTwo(path.toString, old.toString)

  private def isFile(fs: FileSystem, path: Path): Boolean =
    try fs.getFileStatus(path).isFile
    catch { case _: FileNotFoundException => false }

  // If there is nothing to rename, or something has the name, another job has put the file aside.
  private def isRenamed(fs: FileSystem, from: Path, to: Path): Boolean =
    try fs.rename(from, to)
    catch { case _: FileNotFoundException | _: FileAlreadyExistsException => false }

  /**
   * Gives a file its name back if a process has died before it committed the directory. If the
   * process has died after that, deletes the file. A file that an earlier replacement has left
   * beside a new one is deleted too.
   *
   * @param path
   *   the name of the file
   * @return
   *   whether the file got its name back
   */
  def restore(fs: FileSystem, conf: Configuration, path: Path): Boolean =
    if (path.getParent == null) false // the root of a file system
    else {
      val old = CommittedMove.aside(path)
      val staging = Directories.ifAllowed(path.getParent) {
        Option.when(fs.exists(old))(stagingOf(fs, path))
      }
      staging.flatten match {
        case None      => false
        case Some(Nil) =>
          // No job replaces the file: an earlier one has left `old`.
          if (isFile(fs, path)) fs.delete(old, false)
          false
        case Some(some) => restore(fs, conf, path, old, some)
      }
    }

  private def restore(
      fs: FileSystem,
      conf: Configuration,
      path: Path,
      old: Path,
      staging: Seq[Path]
  ): Boolean = {
    // The commit waits for a living job, and deletes the files of a dead one.
    val outcome =
      if (!Directories.exists(fs, path)) CommittedMove.Outcome(Nil, isOfOthers = false)
      else
        ExclusiveCommit.alone(path, conf)(CommittedMove.outcome(fs, staging, path))
    if (outcome.committed.nonEmpty) {
      fs.delete(old, false)
      outcome.committed.foreach(fs.delete(_, true))
      false
    } else if (!outcome.isOfOthers && isFree(fs, path)) giveBack(fs, old, path)
    else {
      logWarning(s"The file $old stays, as other jobs have written to $path since it was put aside")
      false
    }
  }

  /**
   * Gives a file its name back.
   *
   * @return
   *   false if a job that replaces the file has made its directory meanwhile: the file stays aside
   */
  private def giveBack(fs: FileSystem, old: Path, path: Path): Boolean = {
    rename(fs, old, path)
    val isReplaced = Directories.exists(fs, path)
    if (isReplaced) {
      // The file is in the directory. An object store can have it beside the directory.
      val moved = Seq(Directories.child(path, old.getName), path).find(isFile(fs, _))
      moved.foreach(rename(fs, _, old))
    }
    !isReplaced
  }

  private def stagingOf(fs: FileSystem, path: Path): Seq[Path] = fs
    .listStatus(path.getParent)
    .toSeq
    .map(_.getPath)
    .filter(_.getName.startsWith(stagingPrefix(path)))

  /** Returns whether nothing has the name of the file; removes a directory that has no rows. */
  private def isFree(fs: FileSystem, path: Path): Boolean = {
    if (Directories.exists(fs, path)) CommittedMove.removeRests(fs, path)
    !fs.exists(path)
  }

  private def stagingPrefix(path: Path): String = HiddenNames.ofReplacing(path.getName)

  private def rename(fs: FileSystem, from: Path, to: Path): Unit =
    if (fs.exists(to) || !fs.rename(from, to))
      throw new IOException(s"Unable to rename $from to $to.")
}
