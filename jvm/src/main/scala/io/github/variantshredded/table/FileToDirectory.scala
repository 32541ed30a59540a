package io.github.variantshredded.table

import java.io.IOException
import java.util.UUID

import org.apache.hadoop.fs.{FileSystem, Path}

/**
 * Replaces a file by a directory of the same name.
 *
 * {{{
 * rows       -> a directory beside the file, with a name that readers ignore
 * file       -> renamed to a name that readers ignore
 * directory  -> renamed to the name of the file
 * file       -> deleted
 * }}}
 *
 * If a step fails, the file gets its name back. If the process dies between the two renames, the
 * next save to the path gives the file its name back ([[restore]]).
 */
private[variantshredded] object FileToDirectory {

  /** Replaces the file `path` by the directory that `save` writes. */
  def apply(fs: FileSystem, path: Path)(save: Path => Unit): Unit = {
    val staging = new Path(path.getParent, stagingPrefix(path) + UUID.randomUUID())
    try {
      save(staging)
      exchange(fs, path, staging)
    } catch {
      case e: Throwable =>
        try fs.delete(staging, true)
        catch { case further: IOException => e.addSuppressed(further) }
        throw e
    }
  }

  /**
   * Gives a file its name back if a process has died between the two renames.
   *
   * @param path
   *   the name of the file; there is nothing of this name
   * @return
   *   whether there was such a file
   */
  def restore(fs: FileSystem, path: Path): Boolean = {
    val old = aside(path)
    def hasStaging =
      fs.listStatus(path.getParent).exists(_.getPath.getName.startsWith(stagingPrefix(path)))
    // Without such a directory, the process had renamed it, and died before it deleted the file.
    val isLeft = fs.exists(old) && hasStaging
    if (isLeft) rename(fs, old, path)
    isLeft
  }

  private def exchange(fs: FileSystem, path: Path, staging: Path): Unit = {
    if (!fs.getFileStatus(path).isFile)
      throw new IOException(s"Another job has replaced the file $path. Run the job again.")
    val old = aside(path)
    fs.delete(old, false)
    rename(fs, path, old)
    try rename(fs, staging, path)
    catch {
      case e: Throwable =>
        try rename(fs, old, path)
        catch { case lost: IOException => e.addSuppressed(lost) }
        throw e
    }
    fs.delete(old, false)
    ()
  }

  private def aside(path: Path): Path = new Path(path.getParent, s".${path.getName}.replaced")

  private def stagingPrefix(path: Path): String = s".${path.getName}_replacing_"

  private def rename(fs: FileSystem, from: Path, to: Path): Unit =
    if (fs.exists(to) || !fs.rename(from, to))
      throw new IOException(s"Unable to rename $from to $to.")
}
