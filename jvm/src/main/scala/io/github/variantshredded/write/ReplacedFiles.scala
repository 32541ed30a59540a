package io.github.variantshredded.write

import io.github.variantshredded.directory.{DataFiles, OtherTables, SymbolicLinks}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.io.FileCommitProtocol

/**
 * Lists the files that a write replaces: those that exist when it commits.
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
   * Lists the files below `root` that a write in `mode` replaces, with those that hold their keys.
   *
   * @param partitions
   *   directories, relative to `root`, that get new rows
   * @param isNew
   *   whether a file belongs to the job itself, whose files may exist already
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if one of the files is behind a symbolic link or in a table of another
   *   format
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
    val base = fs.makeQualified(root)
    val links = new SymbolicLinks(fs, base)
    def selected(directories: Seq[Path], filter: PartitionFilter): Seq[FileStatus] =
      DataFiles
        .withKeysBelowAll(
          fs,
          directories,
          OtherTables.refuse,
          folder => filter.mayMatch(PartitionFilter.directories(base, folder) :+ folder.getName)
        )
        .filterNot(file => isNew(file.getPath))
        .filter(file => filter.matches(PartitionFilter.directories(base, file.getPath)))
        // At once: a link may lead to a directory above, and so to itself.
        .tapEach(links.refuse)
        .toSeq
    mode match {
      case WriteMode.Append | WriteMode.Create              => ReplacedFiles(Nil, None)
      case WriteMode.ReplacePartitions(directories, filter) =>
        val updated = partitions.toSeq.sorted
        val found = directories match {
          case Some(known) => known.sameAs(fs, root, updated.map(_.split(Path.SEPARATOR).toSeq))
          case None        => updated.map(new Path(root, _))
        }
        ReplacedFiles(selected(found, filter), None)
      case WriteMode.Replace(filter) =>
        ReplacedFiles(selected(Seq(base), filter), if (filter.isAll) log else None)
    }
  }

  /**
   * Returns whether the protocol deletes files with its commit. Spark's default protocol deletes at
   * once.
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
