package io.github.variantshredded.directory

import java.io.{FileNotFoundException, IOException}

import scala.collection.mutable

import io.github.variantshredded.spark.EmptyDirectories
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.Logging

/** Lists and deletes the data files below a directory: those that Spark's listing returns. */
private[variantshredded] object DataFiles extends Logging {

  // So many directories are listed before the files of the first are returned.
  private final val MaxAtOnce = 1024

  /** Returns all data files below `root`, and calls `check` as [[withKeysBelow]] does. */
  def below(
      fs: FileSystem,
      root: Path,
      check: (Path, Seq[FileStatus]) => Unit = (_, _) => ()
  ): Iterator[FileStatus] =
    withKeysBelow(fs, root, check).filterNot(file => HiddenNames.hides(file.getPath.getName))

  /**
   * Returns the data files that readers of `root` may find: those in `root`, and those in and below
   * directories of partitions, wherever these are.
   */
  def read(
      fs: FileSystem,
      root: Path,
      check: (Path, Seq[FileStatus]) => Unit
  ): Iterator[FileStatus] = {
    val isRead = DataFiles.isRead(root)
    below(fs, root, (directory, all) => if (isRead(directory)) check(directory, all))
      .filter(file => isRead(file.getPath.getParent))
  }

  /**
   * Returns all data files below `root`, and the files that hold the keys of encrypted ones
   * ([[KeyMaterial]]).
   *
   * @param check
   *   is called with all that is in a directory, before its files are returned
   */
  def withKeysBelow(
      fs: FileSystem,
      root: Path,
      check: (Path, Seq[FileStatus]) => Unit = (_, _) => ()
  ): Iterator[FileStatus] = withKeysBelowAll(fs, Seq(root), check)

  /**
   * Does the same for several directories. Those of one level are listed in parallel, but never many
   * more than the caller has taken the files of, because it may need only the first file.
   *
   * @param enters
   *   returns false for a directory below one of `roots` that is not listed
   */
  def withKeysBelowAll(
      fs: FileSystem,
      roots: Seq[Path],
      check: (Path, Seq[FileStatus]) => Unit = (_, _) => (),
      enters: Path => Boolean = _ => true
  ): Iterator[FileStatus] = {
    val waiting = mutable.Queue.from(roots)
    Iterator
      .iterate(1)(number => math.min(number * 2, MaxAtOnce))
      .takeWhile(_ => waiting.nonEmpty)
      .flatMap { number =>
        val directories = Seq.fill(math.min(number, waiting.size))(waiting.dequeue())
        ManyCalls.map(directories)(entries(fs, _)).zip(directories).flatMap {
          case (all, directory) =>
            check(directory, all)
            val (folders, files) = all.filter(isListed).partition(_.isDirectory)
            waiting ++= folders.map(_.getPath).filter(enters)
            files
        }
      }
  }

  /**
   * Returns the function that tells whether readers of `root` look for files in `root` or a directory
   * below it: in those of partitions, and in all directories below these.
   */
  def isRead(root: Path): Path => Boolean = {
    val depth = Directories.rooted(root).depth
    directory => {
      val levels = Iterator.iterate(directory)(_.getParent).take(directory.depth - depth)
      levels.isEmpty || levels.exists(_.getName.contains("="))
    }
  }

  /** Returns the files that hold the keys of `files`, with one listing of each directory. */
  def keysOf(fs: FileSystem, files: Seq[FileStatus]): Seq[FileStatus] = {
    val names = files.iterator.map(file => KeyMaterial.of(file.getPath)).toSet
    ManyCalls
      .map(files.map(_.getPath.getParent).distinct)(list(fs, _))
      .flatten
      .filter(file => file.isFile && names(file.getPath))
  }

  /** Returns the data files in some directories, without those in directories below. */
  def in(fs: FileSystem, directories: Seq[Path]): Seq[FileStatus] =
    ManyCalls
      .map(directories)(list(fs, _))
      .flatten
      .filter(file => file.isFile && !HiddenNames.hides(file.getPath.getName))

  /** Lists what readers see in a directory, and the files that hold keys. */
  private def list(fs: FileSystem, directory: Path): Seq[FileStatus] =
    entries(fs, directory).filter(isListed)

  private def isListed(child: FileStatus): Boolean = {
    val name = child.getPath.getName
    !HiddenNames.hides(name) || (child.isFile && KeyMaterial.isName(name))
  }

  private def entries(fs: FileSystem, directory: Path): Seq[FileStatus] =
    try fs.listStatus(directory).toSeq
    catch { case _: FileNotFoundException => Nil }

  /** Deletes the files whose names contain the id of `job`, and those that hold their keys. */
  def deleteOf(fs: FileSystem, root: Path, job: String): Unit =
    delete(fs, root, ofJob(fs, root, job).toList)

  /** Returns whether a job has files below `root`. */
  def existOf(fs: FileSystem, root: Path, job: String): Boolean = ofJob(fs, root, job).nonEmpty

  private def ofJob(fs: FileSystem, root: Path, job: String): Iterator[Path] =
    withKeysBelow(fs, root).map(_.getPath).filter(_.getName.contains(job))

  /** Deletes files below `root` that a job has written and not committed. */
  def delete(fs: FileSystem, root: Path, files: Seq[Path]): Unit = {
    ManyCalls.map(files) { file =>
      if (!fs.delete(file, false) && fs.exists(file))
        throw new IOException(s"Unable to delete $file, which a failed job has written.")
    }
    removeEmpty(fs, root, files.map(_.getParent))
  }

  /**
   * Removes a directory, if it exists, atomically: others see either all of it or nothing.
   *
   * @param job
   *   id of the job that removes it, also if another job finishes the removal
   */
  def removeAtOnce(fs: FileSystem, directory: Path, job: String): Unit = {
    val doomed = directory.suffix(HiddenNames.Removed + job)
    // A rename that copies, as on an object store, may have been interrupted: it would be refused
    // as long as there are copies. Only this removal can have made them.
    fs.delete(doomed, true)
    // Local file systems throw an exception if there is nothing to rename.
    if (fs.exists(directory) && !fs.rename(directory, doomed) && fs.exists(directory))
      throw new IOException(s"Unable to remove $directory.")
    fs.delete(doomed, true)
    ()
  }

  /**
   * Removes the directories, and their parents below `root`, if they are empty. A directory that
   * remains does no harm.
   */
  def removeEmpty(fs: FileSystem, root: Path, directories: Seq[Path]): Unit = {
    val emptied = mutable.LinkedHashSet.empty[Path]
    directories.foreach { innermost =>
      var directory = innermost
      while (directory != null && directory != root && emptied.add(directory))
        directory = directory.getParent
    }
    def remove(directory: Path): Unit =
      try EmptyDirectories.remove(fs, directory): Unit
      catch {
        // It may contain files that are not listed, such as Hadoop's checksums, or new files.
        case e: IOException => logInfo(s"Could not remove the directory $directory", e)
      }
    // A directory is empty after those in it have been removed.
    val levels = emptied.toSeq.groupBy(_.depth).toSeq.sortBy(-_._1)
    levels.foreach { case (_, level) => ManyCalls.map(level)(remove) }
  }
}
