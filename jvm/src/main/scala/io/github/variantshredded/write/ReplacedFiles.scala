package io.github.variantshredded.write

import java.io.FileNotFoundException

import scala.collection.mutable

import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.classic.SparkSession

/**
 * The files that an overwrite replaces: those there when it began.
 *
 * They go after the new ones have been committed, not before: as long as the job runs, and when it
 * fails or is killed, readers see what was there. Between the two steps a reader may see both; no
 * moment is without data.
 *
 * A commit protocol with a `deleteWithJob` of its own makes deletions part of its commit, so it is
 * told before. Spark's default deletes at once.
 */
private[variantshredded] final class ReplacedFiles private (
    root: Path,
    files: Seq[FileStatus],
    log: Option[Path],
    val all: Boolean
) {

  /** Hands the files to a protocol that deletes with its commit. */
  def beforeCommit(committer: FileCommitProtocol, conf: Configuration): Unit =
    if (ReplacedFiles.deletesOnCommit(committer)) deleteAll(conf) { (fs, path) =>
      committer.deleteWithJob(fs, path, recursive = false)
    }

  /** Deletes the files, unless the protocol has. */
  def afterCommit(committer: FileCommitProtocol, conf: Configuration): Unit =
    if (!ReplacedFiles.deletesOnCommit(committer)) delete(conf)
    else log.foreach(SinkLog.remove(_, conf))

  /** Deletes the files, and directories below the root that lose their last one. */
  private def delete(conf: Configuration): Unit = {
    // As long as it is there, it names the files that are read.
    log.foreach(SinkLog.remove(_, conf))
    deleteAll(conf)((fs, path) => fs.delete(path, false))
    if (files.nonEmpty) deleteEmptyDirectories(root.getFileSystem(conf))
  }

  private def deleteAll(conf: Configuration)(delete: (FileSystem, Path) => Boolean): Unit =
    if (files.nonEmpty) {
      val fs = root.getFileSystem(conf)
      files.filter(isUnchanged(fs, _)).foreach { file =>
        if (!delete(fs, file.getPath) && fs.exists(file.getPath))
          throw new java.io.IOException(
            s"Unable to delete ${file.getPath}, which the committed overwrite replaces."
          )
      }
    }

  // A protocol may give a new file the name of an old one.
  private def isUnchanged(fs: FileSystem, file: FileStatus): Boolean =
    try {
      val now = fs.getFileStatus(file.getPath)
      now.getModificationTime == file.getModificationTime && now.getLen == file.getLen
    } catch { case _: FileNotFoundException => false }

  // Partitions that have lost their last file go, as they do when Spark clears a table.
  private def deleteEmptyDirectories(fs: FileSystem): Unit = {
    val emptied = mutable.LinkedHashSet.empty[Path]
    files.foreach { file =>
      var directory = file.getPath.getParent
      while (directory != null && directory != root && emptied.add(directory))
        directory = directory.getParent
    }
    emptied.toSeq.sortBy(-_.depth).foreach { directory =>
      try if (fs.listStatus(directory).isEmpty) fs.delete(directory, false)
      catch { case _: FileNotFoundException => () }
    }
  }
}

private[variantshredded] object ReplacedFiles {

  private[write] val None: ReplacedFiles =
    new ReplacedFiles(new Path("/"), Nil, scala.None, all = false)

  /**
   * The data files below `root` in partitions that `filter` takes.
   *
   * @param log
   *   the log of a streaming query, which goes with all of its files
   */
  private[write] def list(
      root: Path,
      conf: Configuration,
      filter: PartitionFilter,
      log: Option[Path]
  ): ReplacedFiles = {
    val fs = root.getFileSystem(conf)
    val found = mutable.ArrayBuffer.empty[FileStatus]
    val waiting = mutable.Queue(root)
    while (waiting.nonEmpty) {
      val directory = waiting.dequeue()
      val children =
        try fs.listStatus(directory)
        catch { case _: FileNotFoundException => Array.empty[FileStatus] }
      children.filterNot(child => isHidden(child.getPath.getName)).foreach { child =>
        if (child.isDirectory) waiting.enqueue(child.getPath)
        else if (filter.matches(PartitionFilter.directories(root, child.getPath))) found += child
      }
    }
    new ReplacedFiles(root, found.toSeq, log, all = filter.values.isEmpty)
  }

  /** Deletes all data files below `root`, as `TRUNCATE TABLE` does. */
  def truncate(session: SparkSession, root: Path, conf: Configuration): Unit = {
    val log = SinkLog.find(session, root, conf)
    list(root, conf, PartitionFilter.All, log).delete(conf)
    CachedReads.refresh(session, root, conf)
  }

  // What Spark's listing leaves out: jobs at work and notes of other tools.
  private def isHidden(name: String): Boolean = {
    val summary = name == "_metadata" || name == "_common_metadata"
    !summary && (name.startsWith(".") || name.endsWith("._COPYING_") ||
      (name.startsWith("_") && !name.contains("=")))
  }

  private def deletesOnCommit(committer: FileCommitProtocol): Boolean = {
    val method = committer.getClass.getMethod(
      "deleteWithJob",
      classOf[FileSystem],
      classOf[Path],
      java.lang.Boolean.TYPE
    )
    method.getDeclaringClass != classOf[FileCommitProtocol]
  }
}
