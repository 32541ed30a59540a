package io.github.variantshredded.write

import io.github.variantshredded.commit.{DataFiles, ExclusiveCommit}
import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.classic.SparkSession

/**
 * The files that a write replaces: those that exist when it commits.
 *
 * They are deleted after the new files have been committed. So readers see the old files as long as
 * the job runs, and after it has failed or been killed.
 *
 * @param log
 *   the log of a streaming query, which is deleted together with its files
 */
private[variantshredded] final case class ReplacedFiles(files: Seq[FileStatus], log: Option[Path]) {

  /** Passes the files to a commit protocol that deletes files with its own commit. */
  def deleteWithJob(fs: FileSystem, committer: FileCommitProtocol): Unit = files.foreach { file =>
    if (!committer.deleteWithJob(fs, file.getPath, recursive = false) && fs.exists(file.getPath))
      throw new java.io.IOException(
        s"Unable to delete ${file.getPath}, which the overwrite replaces."
      )
  }
}

private[variantshredded] object ReplacedFiles {

  /**
   * Lists the files below `root` that a write in `mode` replaces.
   *
   * @param partitions
   *   directories, relative to `root`, that get new rows
   * @param isNew
   *   whether a file belongs to the job itself, whose files may exist already
   */
  private[write] def list(
      root: Path,
      conf: Configuration,
      mode: WriteMode,
      partitions: Set[String],
      isNew: Path => Boolean,
      log: => Option[Path]
  ): ReplacedFiles = {
    val fs = root.getFileSystem(conf)
    def all(directory: Path): Iterator[FileStatus] =
      DataFiles.below(fs, directory).filterNot(file => isNew(file.getPath))
    mode match {
      case WriteMode.Append | WriteMode.Create => ReplacedFiles(Nil, None)
      case WriteMode.ReplacePartitions         =>
        ReplacedFiles(partitions.toSeq.sorted.map(new Path(root, _)).flatMap(all), None)
      case WriteMode.Replace(filter) =>
        val base = fs.makeQualified(root)
        val files = all(base).filter { file =>
          filter.matches(PartitionFilter.directories(base, file.getPath))
        }
        ReplacedFiles(files.toSeq, if (filter.isAll) log else None)
    }
  }

  /** Deletes all data files below `root`, as `TRUNCATE TABLE` does. */
  def truncate(session: SparkSession, root: Path, conf: Configuration): Unit =
    committed(session, root, conf) { (_, commit) =>
      val replaced = list(
        root,
        conf,
        WriteMode.Replace(PartitionFilter.All),
        Set.empty,
        _ => false,
        SinkLog.find(session, root, conf)
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
   *   `UNSUPPORTED_FEATURE` if the files are those of a streaming query
   */
  def remove(session: SparkSession, root: Path, conf: Configuration)(
      selected: => Seq[FileStatus],
      directories: => Seq[Path]
  ): Unit = if (root.getFileSystem(conf).exists(root)) {
    SinkLog.refuse(session, root, conf)
    committed(session, root, conf) { (_, commit) =>
      val emptied = directories
      commit.replace(selected, None)
      DataFiles.removeEmpty(root.getFileSystem(conf), root, emptied)
    }
  }

  /**
   * Copies data files to another directory below `root`, and deletes them where they were. Readers
   * see the files at exactly one of the two places.
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
    SinkLog.refuse(session, root, conf)
    committed(session, root, conf) { (job, commit) =>
      val files = selected
      if (files.nonEmpty) {
        commit.add(FileCopies.copy(conf, files, target, job))
        commit.replace(files, None)
      }
      DataFiles.removeEmpty(root.getFileSystem(conf), root, directories)
    }
  }

  private def committed(session: SparkSession, root: Path, conf: Configuration)(
      body: (String, ExclusiveCommit) => Unit
  ): Unit = {
    val job = java.util.UUID.randomUUID().toString
    ExclusiveCommit(root, conf, job)(body(job, _))
    CachedReads.refresh(session, root, conf)
  }

  /**
   * Whether the protocol deletes files with its commit. Spark's default protocol deletes at once.
   */
  private[write] def deletesOnCommit(committer: FileCommitProtocol): Boolean = {
    val method = committer.getClass.getMethod(
      "deleteWithJob",
      classOf[FileSystem],
      classOf[Path],
      java.lang.Boolean.TYPE
    )
    method.getDeclaringClass != classOf[FileCommitProtocol]
  }
}
