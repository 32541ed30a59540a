package io.github.variantshredded.table

import java.io.IOException
import java.util.UUID

import org.apache.hadoop.fs.{FileSystem, Path}

/** Replaces a file by a directory. */
private[variantshredded] object FileToDirectory {

  /**
   * Runs `save`, which creates a directory at `path`. Before that, the file is renamed to a name
   * that readers ignore. It is deleted after `save`, and renamed back if `save` fails.
   */
  def apply(fs: FileSystem, path: Path)(save: => Unit): Unit = {
    val aside = new Path(path.getParent, s".${path.getName}.replaced-${UUID.randomUUID()}")
    rename(fs, path, aside)
    try save
    catch {
      case e: Throwable =>
        try rename(fs, aside, path)
        catch { case lost: IOException => e.addSuppressed(lost) }
        throw e
    }
    fs.delete(aside, false)
    ()
  }

  private def rename(fs: FileSystem, from: Path, to: Path): Unit =
    if (fs.exists(to) || !fs.rename(from, to))
      throw new IOException(s"Unable to rename the file $from to $to.")
}
