package io.github.variantshredded.write.file

import java.util.Locale

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}
import org.apache.spark.sql.execution.datasources.{
  WriteJobStatsTracker,
  WriteTaskStats,
  WriteTaskStatsTracker
}

/**
 * Holds the figures of a write: of one file, or of all files of a task or of a job.
 *
 * @param bytes
 *   size of the files
 * @param leaves
 *   most leaf columns of one file
 * @param typedBytes
 *   bytes of the Variants' values in typed columns, before encoding
 * @param residualBytes
 *   bytes of the Variants' residual values, before encoding
 * @param rolled
 *   number of files that ended because of schema drift
 * @param used
 *   indexes of the paths of [[OptionPaths]] that rows have
 */
private[write] final case class WriteSummary(
    files: Int,
    rows: Long,
    bytes: Long,
    leaves: Int,
    typedBytes: Long,
    residualBytes: Long,
    rolled: Int = 0,
    used: Set[Int] = Set.empty
) extends WriteTaskStats {

  def +(other: WriteSummary): WriteSummary = WriteSummary(
    files + other.files,
    rows + other.rows,
    bytes + other.bytes,
    math.max(leaves, other.leaves),
    typedBytes + other.typedBytes,
    residualBytes + other.residualBytes,
    rolled + other.rolled,
    used ++ other.used
  )

  /** The share of residual values in the bytes of the Variants, in thousandths. */
  def residualPerMille: Long = {
    val all = typedBytes + residualBytes
    if (all == 0) 0 else math.round(residualBytes * 1000.0 / all)
  }

  override def toString: String =
    s"$rows rows, $bytes bytes, $leaves leaf columns, " +
      s"${ResidualShare.text(residualPerMille)} of the Variants' bytes in residual values"
}

private[write] object WriteSummary {
  val Empty: WriteSummary = WriteSummary(0, 0, 0, 0, 0, 0)
}

/**
 * Collects the summaries of files from the tasks for the job.
 *
 * @param files
 *   the factory that opens the files of a task
 */
private[write] final class WriteSummaries(files: VariantOutputWriterFactory)
    extends WriteJobStatsTracker
    with Logging {

  /** The summary of the job, which the driver knows once the job is committed. */
  @volatile private var written = WriteSummary.Empty

  override def newTaskInstance(): WriteTaskStatsTracker = new WriteTaskStatsTracker {
    override def newPartition(values: InternalRow): Unit = ()

    override def newFile(path: String): Unit = ()

    override def closeFile(path: String): Unit = ()

    override def newRow(path: String, row: InternalRow): Unit = ()

    override def getFinalStats(commitTime: Long): WriteTaskStats =
      files.finished.foldLeft(WriteSummary.Empty)(_ + _)
  }

  override def processStats(stats: Seq[WriteTaskStats], commitTime: Long): Unit = {
    written = stats
      .collect { case summary: WriteSummary => summary }
      .reduceOption(_ + _)
      .getOrElse(WriteSummary.Empty)
    unused.foreach(warning => logWarning(warning))
  }

  /** The warnings for paths that no row has; none if there is no row. */
  private def unused: Seq[String] =
    if (written.rows == 0) Seq.empty else files.optionPaths.unused(written.used)

  /** Returns the values of [[WriteMetrics.supported]]. */
  def taskMetrics: Array[CustomTaskMetric] = WriteMetrics.values(written, unused.size)
}

private[write] object WriteMetrics {

  private val All: Seq[(CustomMetric, WriteSummary => Long)] = Seq(
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
   * @param unused
   *   number of paths in options that no row has
   */
  def values(summary: WriteSummary, unused: Int): Array[CustomTaskMetric] =
    (All.map { case (metric, valueOf) => taskMetric(metric, valueOf(summary)) } :+
      taskMetric(Unused, unused.toLong)).toArray

  private def taskMetric(metric: CustomMetric, count: Long): CustomTaskMetric =
    new CustomTaskMetric {
      override def name(): String = metric.name
      override def value(): Long = count
    }
}

/**
 * Reports a count of a write that only the driver knows.
 *
 * To show a metric, Spark's UI creates another instance of its class by the constructor without
 * parameters; it knows the name and the description already.
 */
final class WriteCount private[write] (
    override val name: String,
    override val description: String
) extends CustomSumMetric {
  def this() = this("", "")
}

/**
 * Reports the share of residual values in the bytes of the Variants, in thousandths, as
 * [[WriteCount]] reports counts.
 */
final class ResidualShare extends CustomMetric {
  override def name(): String = "residualShare"

  override def description(): String = "Variants' bytes without a typed column"

  override def aggregateTaskMetrics(perMille: Array[Long]): String =
    ResidualShare.text(perMille.sum)
}

private[write] object ResidualShare {
  def text(perMille: Long): String = "%.1f %%".formatLocal(Locale.ROOT, perMille / 10.0)
}
