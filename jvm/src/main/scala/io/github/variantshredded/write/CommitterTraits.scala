package io.github.variantshredded.write

import io.github.variantshredded.directory.DataFiles
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.io.{FileCommitProtocol, HadoopMapReduceCommitProtocol}
import org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol

/**
 * Describes how the committer of a job treats the files of its tasks.
 *
 * @param present
 *   the files that existed when the job began, if the job's own files cannot be recognized by their
 *   names; the job then replaces no later files
 * @param tasksMove
 *   whether the files of a task are moved to the directory when the task commits, before the job
 *   does, as by Hadoop's algorithm 2
 * @param mayLoseFiles
 *   whether the job may have lost files of its tasks when it commits, without an error of the
 *   committer
 */
private[write] final case class CommitterTraits(
    present: Option[Set[Path]],
    tasksMove: Boolean,
    mayLoseFiles: Boolean
)

private[write] object CommitterTraits {

  /**
   * Describes the committer of a job that is about to begin.
   *
   * @param isIsolated
   *   whether the job is configured for a committer that notices that files of tasks are gone
   */
  def of(
      committer: FileCommitProtocol,
      root: Path,
      conf: Configuration,
      mode: WriteMode,
      isIsolated: Boolean
  ): CommitterTraits = {
    // This protocol puts the id of the job into the names of files.
    val isHadoops = committer.isInstanceOf[HadoopMapReduceCommitProtocol]
    // Other protocols make committers of their own.
    val noticesLoss =
      isIsolated && committer.getClass == classOf[SQLHadoopMapReduceCommitProtocol]
    CommitterTraits(
      Option.unless(mode.addsFiles || isHadoops) {
        DataFiles.withKeysBelow(root.getFileSystem(conf), root).map(_.getPath).toSet
      },
      tasksMove = isHadoops && conf.getInt(Algorithm, 1) == 2,
      mayLoseFiles = isHadoops && !noticesLoss
    )
  }

  private final val Algorithm = "mapreduce.fileoutputcommitter.algorithm.version"
}
