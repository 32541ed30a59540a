package io.github.variantshredded.write.file

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

/** Declares the metrics of a write, and computes their values. */
private[write] object WriteMetrics {

  private val All: Seq[(CustomMetric, WriteStats => Long)] = Seq(
    (new WriteCount("filesWritten", "files written"), _.files.toLong),
    (new WriteCount("rowsWritten", "rows written"), _.rows),
    (new WriteCount("bytesWritten", "bytes written"), _.bytes),
    (new WriteCount("leavesWritten", "leaf columns of a file, at most"), _.leaves.toLong),
    (new ResidualShare, _.residualPerMille),
    (new WriteCount("filesRolled", "files ended because data changed"), _.rolled.toLong)
  )

  private val Unused: CustomMetric =
    new WriteCount("pathsUnused", "paths in options that no row has")

  /** Returns the metrics of a write. */
  def supported: Array[CustomMetric] = (All.map(_._1) :+ Unused).toArray

  /**
   * Returns the values of the metrics for the files of a task.
   *
   * @param unused
   *   number of paths in options that no row has
   */
  def values(stats: WriteStats, unused: Int): Array[CustomTaskMetric] =
    (All.map { case (metric, valueOf) => taskMetric(metric, valueOf(stats)) } :+
      taskMetric(Unused, unused.toLong)).toArray

  private def taskMetric(metric: CustomMetric, count: Long): CustomTaskMetric =
    new CustomTaskMetric {
      override def name(): String = metric.name
      override def value(): Long = count
    }
}
