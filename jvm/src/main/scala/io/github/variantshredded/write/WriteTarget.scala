package io.github.variantshredded.write

import io.github.variantshredded.commit.{
  DataFiles,
  Directories,
  ExclusiveCommit,
  KeyMaterial,
  StreamLog
}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.io.{FileCommitProtocol, HadoopMapReduceCommitProtocol}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol

/**
 * Describes the directory that a job writes to, and what the job does with the files there.
 *
 * @param conf
 *   settings of the file system
 * @param present
 *   the files that existed when the job began, if the job's own files cannot be recognised by their
 *   names; the job then replaces no later files
 * @param tasksMove
 *   whether the files of a task are moved to the directory when the task commits, before the job
 *   does, as by Hadoop's algorithm 2
 * @param mayLoseFiles
 *   whether the job may have lost files of its tasks when it commits, without an error of the
 *   committer
 * @param keepsFiles
 *   whether readers have to see other files too, as the log of a stream would not let them
 * @param before
 *   what the job requires of the files that are kept
 */
private[write] final case class WriteTarget(
    session: SparkSession,
    root: Path,
    conf: Configuration,
    mode: WriteMode,
    present: Option[Set[Path]],
    tasksMove: Boolean,
    mayLoseFiles: Boolean,
    keepsFiles: Boolean,
    before: Option[FilesBefore]
) {

  /**
   * Commits the new files, which `move` moves to their places, and removes the files that they
   * replace.
   *
   * @param partitions
   *   directories, relative to `root`, that get new rows
   * @param files
   *   the names of the new files, relative to `root`
   * @throws org.apache.spark.sql.AnalysisException
   *   `PATH_ALREADY_EXISTS` if the directory has to be new, and another job has committed to it
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   if the new files cannot be read together with those that other jobs have committed since this
   *   one began
   */
  def commit(
      job: String,
      committer: FileCommitProtocol,
      partitions: Set[String],
      files: Set[String]
  )(
      move: => Unit
  ): Unit = {
    def moveAll(): Unit = {
      move
      requireFiles(job, files)
    }
    ExclusiveCommit(root, conf, job) { commit =>
      if (mode == WriteMode.Create) requireNew(job)
      if (keepsFiles) SinkLog.refuse(session, root, conf)
      before.foreach(_.checkAgain(job))
      val replaced = ReplacedFiles.list(
        root,
        conf,
        mode,
        partitions,
        isNew = file => file.getName.contains(job) || present.exists(!_(file)),
        StreamLog.find(session, root, conf)
      )
      before.foreach(_.checkKept(job, replaced.files))
      if (ReplacedFiles.deletesOnCommit(committer)) {
        replaced.deleteWithJob(root.getFileSystem(conf), committer)
        commit.add(moveAll())
        commit.replace(Nil, replaced.log)
      } else {
        commit.add(moveAll())
        commit.replace(replaced.files, replaced.log)
      }
    }
    CachedReads.refresh(session, root, conf)
  }

  /** Deletes the files that tasks of a failed job have already moved to the directory. */
  def deleteFilesOf(job: String): Unit =
    if (tasksMove) DataFiles.deleteOf(root.getFileSystem(conf), root, job)

  /**
   * Checks that the files that the tasks have reported are there, as far as their names have the id
   * of the job. Deletes others of the job: attempts of tasks have left them that were repeated
   * after they had moved files.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CONCURRENT_WRITE` if files are missing
   */
  private def requireFiles(job: String, files: Set[String]): Unit =
    if (tasksMove || mayLoseFiles) {
      val fs = root.getFileSystem(conf)
      val base = fs.makeQualified(root)
      val reported = files.map(Directories.child(base, _)).filter(_.getName.contains(job))
      // Only tasks that move files leave some in other directories.
      val listed =
        if (tasksMove) DataFiles.below(fs, base)
        else DataFiles.in(fs, reported.map(_.getParent).toSeq).iterator
      val present = listed.map(_.getPath).filter(_.getName.contains(job)).toSet
      if (!reported.subsetOf(present))
        throw if (tasksMove) VariantShreddedErrors.replacedBeforeCommit(root.toString)
        else VariantShreddedErrors.directoryReplaced(root.toString)
      if (files.size == reported.size) {
        val lost = (present -- reported).toSeq
        DataFiles.delete(fs, base, lost ++ lost.map(KeyMaterial.of))
      }
    }

  private def requireNew(job: String): Unit =
    if (DataFiles.below(root.getFileSystem(conf), root).exists(!_.getPath.getName.contains(job)))
      throw new AnalysisException("PATH_ALREADY_EXISTS", Map("outputPath" -> root.toString))
}

private[write] object WriteTarget {

  /**
   * Returns the target of a job that `committer` commits.
   *
   * @param isIsolated
   *   whether the job is configured for a committer that notices that files of tasks are gone
   */
  def apply(
      session: SparkSession,
      root: Path,
      conf: Configuration,
      mode: WriteMode,
      committer: FileCommitProtocol,
      isIsolated: Boolean,
      keepsFiles: Boolean,
      before: Option[FilesBefore]
  ): WriteTarget = {
    val present = (committer, mode) match {
      case (_, WriteMode.Append | WriteMode.Create) => None
      // This protocol puts the id of the job into the names of files.
      case (_: HadoopMapReduceCommitProtocol, _) => None
      case _                                     =>
        Some(DataFiles.withKeysBelow(root.getFileSystem(conf), root).map(_.getPath).toSet)
    }
    val isHadoops = committer.isInstanceOf[HadoopMapReduceCommitProtocol]
    val tasksMove = isHadoops && conf.getInt(Algorithm, 1) == 2
    // Other protocols make committers of their own.
    val noticesLoss =
      isIsolated && committer.getClass == classOf[SQLHadoopMapReduceCommitProtocol]
    val mayLoseFiles = isHadoops && !noticesLoss
    WriteTarget(
      session,
      root,
      conf,
      mode,
      present,
      tasksMove,
      mayLoseFiles,
      keepsFiles,
      before
    )
  }

  private final val Algorithm = "mapreduce.fileoutputcommitter.algorithm.version"
}
