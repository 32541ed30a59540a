package io.github.variantshredded.write

import io.github.variantshredded.commit.{DataFiles, ExclusiveCommit, StreamLog, SymbolicLinks}
import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.classic.SparkSession

/**
 * Deletes and moves data files of a table for statements that write no rows, such as `TRUNCATE`.
 * Each call is one commit.
 */
private[variantshredded] object DataFileChanges {

  /** Deletes all data files below `root`, as `TRUNCATE TABLE` does. */
  def truncate(session: SparkSession, root: Path, conf: Configuration): Unit =
    committed(session, root, conf) { (_, commit) =>
      val replaced = ReplacedFiles.list(
        root,
        conf,
        WriteMode.Replace(PartitionFilter.All),
        Set.empty,
        _ => false,
        StreamLog.find(session, root, conf)
      )
      commit.replace(replaced.files, replaced.log)
    }

  /**
   * Deletes some of the data files below `root`.
   *
   * @param selected
   *   lists the files to delete; called while no other job commits
   * @param directories
   *   lists the directories to remove as well if they are empty
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the files are those of a streaming query, or behind a symbolic link
   */
  def remove(session: SparkSession, root: Path, conf: Configuration)(
      selected: => Seq[FileStatus],
      directories: => Seq[Path]
  ): Unit = if (root.getFileSystem(conf).exists(root)) {
    committed(session, root, conf) { (_, commit) =>
      SinkLog.refuse(session, root, conf)
      val emptied = directories
      commit.replace(withoutLinks(root, conf, selected), None)
      DataFiles.removeEmpty(root.getFileSystem(conf), root, emptied)
    }
  }

  /**
   * Copies data files to another directory below `root`, and deletes them where they were. Readers
   * see the files in exactly one of the two directories.
   *
   * @param selected
   *   lists the files to move; called while no other job commits
   * @param directories
   *   the directories to remove as well if they are empty
   */
  def move(session: SparkSession, root: Path, conf: Configuration)(
      selected: => Seq[FileStatus],
      target: Path,
      directories: Seq[Path]
  ): Unit = {
    committed(session, root, conf) { (job, commit) =>
      SinkLog.refuse(session, root, conf)
      val files = withoutLinks(root, conf, selected)
      if (files.nonEmpty) {
        commit.add(FileCopies.copy(conf, files, target, job))
        commit.replace(files, None)
      }
      DataFiles.removeEmpty(root.getFileSystem(conf), root, directories)
    }
  }

  private def withoutLinks(
      root: Path,
      conf: Configuration,
      files: Seq[FileStatus]
  ): Seq[FileStatus] =
    files.tapEach(new SymbolicLinks(root.getFileSystem(conf), root).refuse)

  private def committed(session: SparkSession, root: Path, conf: Configuration)(
      body: (String, ExclusiveCommit) => Unit
  ): Unit = {
    val job = java.util.UUID.randomUUID().toString
    ExclusiveCommit(root, conf, job)(body(job, _))
    CachedReads.refresh(session, root, conf)
  }
}
