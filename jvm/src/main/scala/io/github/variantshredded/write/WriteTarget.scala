package io.github.variantshredded.write

import io.github.variantshredded.commit.{ExclusiveCommit, StreamLog}
import io.github.variantshredded.directory.{DataFiles, Directories, KeyMaterial}
import io.github.variantshredded.errors.CommitErrors
import io.github.variantshredded.spark.CachedReads
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession

/**
 * Describes the directory that a job writes to, and what the job does with the files there.
 *
 * @param conf
 *   settings of the file system
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
    traits: CommitterTraits,
    keepsFiles: Boolean,
    before: Option[FilesBefore]
) {
  import traits.{mayLoseFiles, present, tasksMove}

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
      if (keepsFiles) BatchLog.refuse(session, root, conf)
      if (!isStreamed) BatchLog.refusePartition(session, root, conf)
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

  /** Returns whether the job is a batch of a stream, which adds files to a log. */
  private def isStreamed: Boolean = !keepsFiles && !mode.replacesAll

  /** Deletes the files that tasks of a failed job have already moved to the directory. */
  def deleteFilesOf(job: String): Unit =
    if (tasksMove) DataFiles.deleteOf(root.getFileSystem(conf), root, job)

  /**
   * Checks that the files that the tasks have reported are there, as far as their names have the id
   * of the job. Deletes the job's other files, left by task attempts that were repeated after they
   * had moved files.
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
      val found = listed.map(_.getPath).filter(_.getName.contains(job)).toSet
      if (!reported.subsetOf(found))
        throw if (tasksMove) CommitErrors.replacedBeforeCommit(root.toString)
        else CommitErrors.directoryReplaced(root.toString)
      if (files.size == reported.size) {
        val lost = (found -- reported).toSeq
        DataFiles.delete(fs, base, lost ++ lost.map(KeyMaterial.of))
      }
    }

  private def requireNew(job: String): Unit =
    if (DataFiles.below(root.getFileSystem(conf), root).exists(!_.getPath.getName.contains(job)))
      throw new AnalysisException("PATH_ALREADY_EXISTS", Map("outputPath" -> root.toString))
}
