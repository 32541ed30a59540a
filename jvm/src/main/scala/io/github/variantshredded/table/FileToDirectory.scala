package io.github.variantshredded.table

import java.io.IOException
import java.util.UUID

import io.github.variantshredded.commit.{CommittedMove, Directories, ExclusiveCommit}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

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
private[variantshredded] object FileToDirectory {

  /** Replaces the file `path` by the directory that `save` writes. */
  def apply(fs: FileSystem, conf: Configuration, path: Path)(save: Path => Unit): Unit = {
    val staging = new Path(path.getParent, stagingPrefix(path) + UUID.randomUUID())
    try {
      save(staging)
      exchange(fs, conf, path, staging)
    } catch {
      case e: Throwable =>
        // Without the directory, the next save would not give the file its name back.
        try if (fs.exists(path)) fs.delete(staging, true)
        catch { case further: IOException => e.addSuppressed(further) }
        throw e
    }
  }

  /**
   * Gives a file its name back if a process has died before it committed the directory.
   *
   * @param path
   *   the name of the file
   * @return
   *   whether there was such a file
   */
  def restore(fs: FileSystem, conf: Configuration, path: Path): Boolean = {
    val old = aside(path)
    // Without a directory of rows, the process had committed, and died before it deleted the file.
    val isLeft = fs.exists(old) && hasStaging(fs, path) && isFreeAfterCommits(fs, conf, path)
    if (isLeft) rename(fs, old, path)
    isLeft
  }

  private def exchange(fs: FileSystem, conf: Configuration, path: Path, staging: Path): Unit = {
    if (!fs.getFileStatus(path).isFile)
      throw new IOException(s"Another job has replaced the file $path. Run the job again.")
    val old = aside(path)
    fs.delete(old, false)
    try {
      rename(fs, path, old)
      CommittedMove(fs, conf, staging, path)
    } catch {
      case e: Throwable =>
        // A call may have been carried out although it threw an exception.
        try if (fs.exists(old) && isFree(fs, path)) rename(fs, old, path)
        catch { case lost: IOException => e.addSuppressed(lost) }
        throw e
    }
    fs.delete(old, false)
    ()
  }

  private def hasStaging(fs: FileSystem, path: Path): Boolean =
    fs.listStatus(path.getParent).exists(_.getPath.getName.startsWith(stagingPrefix(path)))

  /** Returns whether nothing has the name of the file; removes a directory that has no rows. */
  private def isFree(fs: FileSystem, path: Path): Boolean = {
    val hasNoRows = Directories.exists(fs, path) &&
      fs.listStatus(path).forall(entry => CommittedMove.isRest(entry.getPath))
    if (hasNoRows) {
      val _ = fs.delete(path, true)
    }
    !fs.exists(path)
  }

  /** Does the same after a commit to a directory of this name has ended. */
  private def isFreeAfterCommits(fs: FileSystem, conf: Configuration, path: Path): Boolean = {
    // It waits for a living job, and deletes the files of a dead one.
    if (Directories.exists(fs, path))
      ExclusiveCommit(path, conf, UUID.randomUUID().toString)(_ => ())
    isFree(fs, path)
  }

  private def aside(path: Path): Path = new Path(path.getParent, s".${path.getName}.replaced")

  private def stagingPrefix(path: Path): String = s".${path.getName}_replacing_"

  private def rename(fs: FileSystem, from: Path, to: Path): Unit =
    if (fs.exists(to) || !fs.rename(from, to))
      throw new IOException(s"Unable to rename $from to $to.")
}
