package io.github.variantshredded.write

import io.github.variantshredded.commit.{DataFiles, ExclusiveCommit}
import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.classic.SparkSession

/**
 * The files that a write replaces: those there when it commits.
 *
 * They go after the new ones have been committed, not before: as long as the job runs, and when it
 * fails or is killed, readers see what was there.
 *
 * @param log
 *   the log of a streaming query, which goes with all of its files
 */
private[variantshredded] final case class ReplacedFiles(files: Seq[FileStatus], log: Option[Path]) {

  /** Hands the files to a protocol that deletes with its commit, so that it has to be told before. */
  def deleteWithJob(fs: FileSystem, committer: FileCommitProtocol): Unit = files.foreach { file =>
    if (!committer.deleteWithJob(fs, file.getPath, recursive = false) && fs.exists(file.getPath))
      throw new java.io.IOException(
        s"Unable to delete ${file.getPath}, which the overwrite replaces."
      )
  }
}

private[variantshredded] object ReplacedFiles {

  /**
   * The files below `root` that a write in `mode` replaces.
   *
   * @param partitions
   *   directories, relative to `root`, that get new rows
   * @param isNew
   *   whether a file is one of the job's own, which may be there already
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
  def truncate(session: SparkSession, root: Path, conf: Configuration): Unit = {
    val job = java.util.UUID.randomUUID().toString
    ExclusiveCommit(root, conf, job) { commit =>
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
    CachedReads.refresh(session, root, conf)
  }

  /** Whether the protocol makes deletions part of its commit. Spark's default deletes at once. */
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
