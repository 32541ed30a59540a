package io.github.variantshredded.write

import io.github.variantshredded.commit.{ExclusiveCommit, StreamLog}
import io.github.variantshredded.directory.{
  DataFiles,
  HiddenNames,
  ManyCalls,
  OtherTables,
  SymbolicLinks
}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.classic.SparkSession

/**
 * Deletes and moves data files of a table for statements that write no rows, such as `TRUNCATE`.
 * Each call is one commit.
 */
private[variantshredded] object DataFileChanges {

  /**
   * Deletes all data files below `root`, as `TRUNCATE TABLE` does.
   *
   * @param kept
   *   directories to keep although they become empty
   */
  def truncate(session: SparkSession, root: Path, conf: Configuration)(kept: => Seq[Path]): Unit =
    committed(session, root, conf) { (_, commit) =>
      BatchLog.refusePartition(session, root, conf)
      val directories = kept
      val replaced = ReplacedFiles.list(
        root,
        conf,
        WriteMode.Replace(PartitionFilter.All),
        Set.empty,
        _ => false,
        StreamLog.find(session, root, conf)
      )
      commit.replace(replaced.files, replaced.log)
      create(root, conf, directories)
    }

  /** Creates directories below `root`. */
  def create(
      session: SparkSession,
      root: Path,
      conf: Configuration,
      directories: Seq[Path]
  ): Unit = committed(session, root, conf)((_, _) => create(root, conf, directories))

  /**
   * Creates directories while no other job commits: HDFS would move a directory of new files into
   * one that has just been created, instead of giving it the name.
   */
  private def create(root: Path, conf: Configuration, directories: Seq[Path]): Unit = {
    val fs = root.getFileSystem(conf)
    ManyCalls.map(directories)(fs.mkdirs(_)): Unit
  }

  /**
   * Deletes some of the data files below `root`.
   *
   * @param selected
   *   lists the files to delete; called while no other job commits
   * @param directories
   *   lists the directories of these files
   * @param keepsDirectories
   *   whether the directories stay; otherwise those that are empty are removed
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the files are those of a streaming query or of a table of another
   *   format, or behind a symbolic link
   */
  def remove(session: SparkSession, root: Path, conf: Configuration, keepsDirectories: Boolean)(
      selected: => Seq[FileStatus],
      directories: => Seq[Path]
  ): Unit = if (root.getFileSystem(conf).exists(root)) {
    committed(session, root, conf) { (_, commit) =>
      refuseOthers(session, root, conf)
      val emptied = directories
      val files = withoutLinks(root, conf, selected)
      commit.replace(files ++ DataFiles.keysOf(root.getFileSystem(conf), files), None)
      if (keepsDirectories) create(root, conf, emptied)
      else DataFiles.removeEmpty(root.getFileSystem(conf), root, emptied)
    }
  }

  /**
   * Copies data files to another directory below `root`, and deletes them where they were. Readers
   * see the files in exactly one of the two directories. The other directory is there afterwards,
   * also if there are no files.
   *
   * @param selected
   *   lists the files to move; called while no other job commits
   * @param directories
   *   the directories to remove as well if they are empty
   * @param isShown
   *   whether readers will see a copy
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` as for [[remove]], and if readers would not see a copy
   */
  def move(session: SparkSession, root: Path, conf: Configuration)(
      selected: => Seq[FileStatus],
      target: Path,
      directories: Seq[Path],
      isShown: FileStatus => Boolean
  ): Unit = {
    committed(session, root, conf) { (job, commit) =>
      refuseOthers(session, root, conf)
      val files = withoutLinks(root, conf, selected)
      // Those of Parquet's summaries would be wrong.
      val copies =
        FileCopies(
          files.filterNot(file => HiddenNames.isSummary(file.getPath.getName)),
          target,
          job
        )
      copies.foreach(copy => if (!isShown(copy.status)) throw hidden(copy))
      val keys = DataFiles.keysOf(root.getFileSystem(conf), files)
      if (copies.nonEmpty)
        commit.add(FileCopies.write(conf, copies ++ FileCopies.ofKeys(keys, copies)))
      commit.replace(files ++ keys, None)
      create(root, conf, Seq(target))
      DataFiles.removeEmpty(root.getFileSystem(conf), root, directories)
    }
  }

  private def hidden(copy: FileCopies.Copy) = VariantShreddedErrors.unsupported(
    s"Renaming a partition with the file '${copy.from.getPath}', whose copy would have the name " +
      s"'${copy.to.getName}' and the time of the copy, while the options of the table, such as " +
      "pathGlobFilter and modifiedBefore, hide such files,",
    "Remove the option, or INSERT the rows into the new partition and DELETE them in the old one."
  )

  /** Refuses a directory whose files are those of a streaming query or of a table of another format. */
  private def refuseOthers(session: SparkSession, root: Path, conf: Configuration): Unit = {
    BatchLog.refuse(session, root, conf)
    BatchLog.refusePartition(session, root, conf)
    OtherTables.refuse(root, root.getFileSystem(conf).listStatus(root).toSeq)
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
