package io.github.variantshredded.table

import java.io.IOException
import java.util.UUID

import org.apache.hadoop.fs.{FileSystem, Path}

/** A file in whose place a directory is to be written. */
private[variantshredded] object ReplacedFile {

  /**
   * Does `save`, which makes a directory at `path`. The file there steps aside under a name that
   * readers pass over: it goes when `save` is done, and comes back if that fails.
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
