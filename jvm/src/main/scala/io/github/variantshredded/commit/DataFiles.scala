package io.github.variantshredded.commit

import java.io.FileNotFoundException

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/** The files below a directory that Spark's listing takes for data. */
private[variantshredded] object DataFiles {

  /** All of them. */
  def below(fs: FileSystem, root: Path): Iterator[FileStatus] = {
    val waiting = mutable.Queue(root)
    Iterator
      .continually(waiting)
      .takeWhile(_.nonEmpty)
      .flatMap { directories =>
        val children =
          try fs.listStatus(directories.dequeue())
          catch { case _: FileNotFoundException => Array.empty[FileStatus] }
        val (folders, files) =
          children.filterNot(child => isHidden(child.getPath.getName)).partition(_.isDirectory)
        waiting ++= folders.map(_.getPath)
        files
      }
  }

  /** Names that Spark's listing leaves out: jobs at work and notes of other tools. */
  def isHidden(name: String): Boolean = {
    val summary = name == "_metadata" || name == "_common_metadata"
    !summary && (name.startsWith(".") || name.endsWith("._COPYING_") ||
      (name.startsWith("_") && !name.contains("=")))
  }

  /** Deletes the files that have the id of `job` in their names. */
  def deleteOf(fs: FileSystem, root: Path, job: String): Unit = {
    val files = below(fs, root).map(_.getPath).filter(_.getName.contains(job)).toList
    files.foreach { file =>
      if (!fs.delete(file, false) && fs.exists(file))
        throw new java.io.IOException(s"Unable to delete $file, which a failed job has written.")
    }
    deleteEmptyDirectories(fs, root, files)
  }

  /** Removes a directory, if it is there, at once: others see all of it or nothing. */
  def removeAtOnce(fs: FileSystem, directory: Path): Unit = {
    val doomed = directory.suffix(s".removed-${java.util.UUID.randomUUID()}")
    if (fs.rename(directory, doomed)) fs.delete(doomed, true)
    else if (fs.exists(directory)) throw new java.io.IOException(s"Unable to remove $directory.")
    ()
  }

  /** Deletes the directories of `files` below `root`, and those around these, if they are empty. */
  def deleteEmptyDirectories(fs: FileSystem, root: Path, files: Seq[Path]): Unit = {
    val emptied = mutable.LinkedHashSet.empty[Path]
    files.foreach { file =>
      var directory = file.getParent
      while (directory != null && directory != root && emptied.add(directory))
        directory = directory.getParent
    }
    emptied.toSeq.sortBy(-_.depth).foreach { directory =>
      try if (fs.listStatus(directory).isEmpty) fs.delete(directory, false)
      catch { case _: FileNotFoundException => () }
    }
  }
}
