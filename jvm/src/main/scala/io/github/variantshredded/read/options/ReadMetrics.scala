package io.github.variantshredded.read.options

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/** What one task has read, counted while it reads; Spark's UI shows the sums over the tasks. */
private[read] final class ReadMetrics {

  /** Variants put together from their columns. */
  var variantsRebuilt: Long = 0L

  /** Values read from a `value` column. */
  var residualValuesRead: Long = 0L

  /** Batches of extracted columns that are a decoded column as it is. */
  var vectorsPassedThrough: Long = 0L

  /** Violations of the spec that `validation=permissive` read over. */
  var violationsTolerated: Long = 0L

  /** Files, or splits of them, of which a row group was decoded. */
  var filesRead: Long = 0L

  /** Files, or splits of them, that were opened and all of whose row groups were left out. */
  var filesSkipped: Long = 0L

  /** Row groups decoded. */
  var rowGroupsRead: Long = 0L

  /** Row groups that the statistics in the footer rule out. */
  var rowGroupsSkippedByStatistics: Long = 0L

  /** Row groups all of whose pages the column indexes rule out. */
  var rowGroupsSkippedByPages: Long = 0L

  /** Row groups that bloom filters rule out. */
  var rowGroupsSkippedByBloomFilters: Long = 0L

  /** Row groups that dictionaries rule out. */
  var rowGroupsSkippedByDictionaries: Long = 0L

  /** Row groups no row of which meets the conditions that were evaluated. */
  var rowGroupsSkippedByConditions: Long = 0L

  /** Rows in pages that the column indexes rule out. */
  var rowsSkippedByPages: Long = 0L

  /** Pages fetched, of chunks of which not all were. */
  var pagesRead: Long = 0L

  /** Pages not fetched, of chunks of which others were. */
  var pagesSkipped: Long = 0L

  /** Rows that do not meet the conditions that were evaluated. */
  var rowsDropped: Long = 0L

  /** Column chunks not fetched because all of their values are null. */
  var leafChunksSkipped: Long = 0L

  /** Column chunks fetched. */
  var leafChunksRead: Long = 0L

  /** Bytes of the column chunks fetched, compressed. */
  var leafBytesRead: Long = 0L

  def taskMetrics: Array[CustomTaskMetric] = ReadMetric.All.map { metric =>
    new CustomTaskMetric {
      override def name(): String = metric.name
      override def value(): Long = metric.value(ReadMetrics.this)
    }: CustomTaskMetric
  }
}

/**
 * A metric of a scan: the sum of a count over the tasks.
 *
 * Where Spark's UI shows one, it makes another of the class, by the constructor without parameters,
 * to add up what the tasks have counted; name and description it knows.
 */
final class ReadMetric private (
    override val name: String,
    override val description: String,
    val value: ReadMetrics => Long
) extends CustomSumMetric {
  def this() = this("", "", _ => 0L)
}

object ReadMetric {

  /** Name of the metric of the compressed bytes read. */
  final val BytesRead = "leafBytesRead"

  /** The metrics of a scan. */
  def supported: Array[CustomMetric] = All.map(metric => metric: CustomMetric)

  private[read] val All: Array[ReadMetric] = Array(
    new ReadMetric("variantsRebuilt", "Variants rebuilt", _.variantsRebuilt),
    new ReadMetric("residualValuesRead", "residual values read", _.residualValuesRead),
    new ReadMetric(
      "vectorsPassedThrough",
      "extracted column batches passed through",
      _.vectorsPassedThrough
    ),
    new ReadMetric("violationsTolerated", "spec violations read over", _.violationsTolerated),
    new ReadMetric("filesRead", "files or splits of them read", _.filesRead),
    new ReadMetric("filesSkipped", "files or splits of them skipped", _.filesSkipped),
    new ReadMetric("rowGroupsRead", "row groups read", _.rowGroupsRead),
    new ReadMetric(
      "rowGroupsSkippedByStatistics",
      "row groups skipped by statistics",
      _.rowGroupsSkippedByStatistics
    ),
    new ReadMetric(
      "rowGroupsSkippedByPages",
      "row groups skipped by column indexes",
      _.rowGroupsSkippedByPages
    ),
    new ReadMetric(
      "rowGroupsSkippedByBloomFilters",
      "row groups skipped by bloom filters",
      _.rowGroupsSkippedByBloomFilters
    ),
    new ReadMetric(
      "rowGroupsSkippedByDictionaries",
      "row groups skipped by dictionaries",
      _.rowGroupsSkippedByDictionaries
    ),
    new ReadMetric(
      "rowGroupsSkippedByConditions",
      "row groups skipped after their conditions were decoded",
      _.rowGroupsSkippedByConditions
    ),
    new ReadMetric("rowsSkippedByPages", "rows skipped by column indexes", _.rowsSkippedByPages),
    new ReadMetric("pagesRead", "pages read of chunks read in part", _.pagesRead),
    new ReadMetric("pagesSkipped", "pages skipped of chunks read in part", _.pagesSkipped),
    new ReadMetric("rowsDropped", "rows dropped in the scan", _.rowsDropped),
    new ReadMetric("leafChunksSkipped", "column chunks skipped (all null)", _.leafChunksSkipped),
    new ReadMetric("leafChunksRead", "column chunks read", _.leafChunksRead),
    new ReadMetric(BytesRead, "bytes of column chunks read", _.leafBytesRead)
  )
}
