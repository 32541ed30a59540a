package io.github.variantshredded.write.file

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.execution.datasources.{
  WriteJobStatsTracker,
  WriteTaskStats,
  WriteTaskStatsTracker
}

/**
 * Collects the statistics of files from the tasks for the job.
 *
 * @param files
 *   the factory that opens the files of a task
 */
private[write] final class WriteStatsTracker(files: VariantOutputWriterFactory)
    extends WriteJobStatsTracker
    with Logging {

  /** The statistics of the job, which the driver knows once the job is committed. */
  @volatile private var written = WriteStats.Empty

  override def newTaskInstance(): WriteTaskStatsTracker = new WriteTaskStatsTracker {
    override def newPartition(values: InternalRow): Unit = ()

    override def newFile(path: String): Unit = ()

    override def closeFile(path: String): Unit = ()

    override def newRow(path: String, row: InternalRow): Unit = ()

    override def getFinalStats(commitTime: Long): WriteTaskStats =
      files.finished.foldLeft(WriteStats.Empty)(_ + _)
  }

  override def processStats(stats: Seq[WriteTaskStats], commitTime: Long): Unit = {
    written = stats
      .collect { case ofTask: WriteStats => ofTask }
      .reduceOption(_ + _)
      .getOrElse(WriteStats.Empty)
    unused.foreach(warning => logWarning(warning))
  }

  /** Returns the warnings for paths that no row has; none if there is no row. */
  private def unused: Seq[String] =
    if (written.rows == 0) Seq.empty else files.optionPaths.unused(written.used)

  /** Returns the values of [[WriteMetrics.supported]]. */
  def taskMetrics: Array[CustomTaskMetric] = WriteMetrics.values(written, unused.size)
}
