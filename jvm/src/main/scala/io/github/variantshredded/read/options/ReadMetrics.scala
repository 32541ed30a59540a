package io.github.variantshredded.read.options

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/** Counts what one task reads. Spark's UI shows the sum over all tasks (see [[ReadMetric]]). */
private[read] final class ReadMetrics {

  /** Counts the Variants that were rebuilt from their leaf columns. */
  var variantsRebuilt: Long = 0L

  /** Counts the residual values that were read. */
  var residualValuesRead: Long = 0L

  /**
   * Counts the batches of an extraction whose result is the decoded vector itself, without a copy.
   */
  var vectorsPassedThrough: Long = 0L

  /** Counts the violations of the specification that `validation=permissive` tolerated. */
  var violationsTolerated: Long = 0L

  /** Counts the files, or splits of files, of which at least one row group was decoded. */
  var filesRead: Long = 0L

  /**
   * Counts the files, or splits of files, that were opened and of which no row group was decoded.
   */
  var filesSkipped: Long = 0L

  /** Counts the row groups that were decoded. */
  var rowGroupsRead: Long = 0L

  /** Counts the row groups whose aggregates were taken from the footer. */
  var rowGroupsSummarized: Long = 0L

  /** Counts the row groups that were skipped by statistics in the footer. */
  var rowGroupsSkippedByStatistics: Long = 0L

  /** Counts the row groups that were skipped because column indexes exclude all of their pages. */
  var rowGroupsSkippedByPages: Long = 0L

  /** Counts the row groups that were skipped by bloom filters. */
  var rowGroupsSkippedByBloomFilters: Long = 0L

  /** Counts the row groups that were skipped by dictionary pages. */
  var rowGroupsSkippedByDictionaries: Long = 0L

  /** Counts the row groups that were skipped because late materialization found no matching row. */
  var rowGroupsSkippedByLateMaterialization: Long = 0L

  /** Counts the rows in pages that column indexes exclude. */
  var rowsSkippedByPages: Long = 0L

  /** Counts the pages that were fetched from column chunks of which other pages were skipped. */
  var pagesRead: Long = 0L

  /**
   * Counts the pages that were not fetched from column chunks of which other pages were fetched.
   */
  var pagesSkipped: Long = 0L

  /** Counts the rows that were dropped because the evaluated predicates do not hold for them. */
  var rowsDropped: Long = 0L

  /** Counts the column chunks that were not fetched because all of their values are null. */
  var leafChunksSkipped: Long = 0L

  /** Counts the column chunks that were fetched. */
  var leafChunksRead: Long = 0L

  /** Counts the compressed bytes of the column chunks and pages that were fetched. */
  var leafBytesRead: Long = 0L

  def taskMetrics: Array[CustomTaskMetric] = ReadMetric.All.map { metric =>
    new CustomTaskMetric {
      override def name(): String = metric.name
      override def value(): Long = metric.value(ReadMetrics.this)
    }: CustomTaskMetric
  }
}

/**
 * Defines a metric of a scan, which Spark sums over the tasks.
 *
 * To sum up the values in its UI, Spark creates another instance of this class with the constructor
 * without parameters. That instance needs neither name nor description.
 */
final class ReadMetric private (
    override val name: String,
    override val description: String,
    val value: ReadMetrics => Long
) extends CustomSumMetric {
  def this() = this("", "", _ => 0L)
}

object ReadMetric {

  /** The name of the metric that counts the compressed bytes read. */
  final val BytesRead = "leafBytesRead"

  /** Returns the metrics of a scan, for Spark's UI. */
  def supported: Array[CustomMetric] = All.map(metric => metric: CustomMetric)

  private[read] val All: Array[ReadMetric] = Array(
    new ReadMetric("variantsRebuilt", "Variants rebuilt", _.variantsRebuilt),
    new ReadMetric("residualValuesRead", "residual values read", _.residualValuesRead),
    new ReadMetric(
      "vectorsPassedThrough",
      "extracted column batches passed through",
      _.vectorsPassedThrough
    ),
    new ReadMetric("violationsTolerated", "spec violations tolerated", _.violationsTolerated),
    new ReadMetric("filesRead", "files (or file splits) read", _.filesRead),
    new ReadMetric("filesSkipped", "files (or file splits) skipped", _.filesSkipped),
    new ReadMetric("rowGroupsRead", "row groups read", _.rowGroupsRead),
    new ReadMetric(
      "rowGroupsSummarized",
      "row groups aggregated from the footer",
      _.rowGroupsSummarized
    ),
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
      "row groups skipped by dictionary pages",
      _.rowGroupsSkippedByDictionaries
    ),
    new ReadMetric(
      "rowGroupsSkippedByLateMaterialization",
      "row groups skipped by late materialization",
      _.rowGroupsSkippedByLateMaterialization
    ),
    new ReadMetric("rowsSkippedByPages", "rows skipped by column indexes", _.rowsSkippedByPages),
    new ReadMetric("pagesRead", "pages read of partly read column chunks", _.pagesRead),
    new ReadMetric("pagesSkipped", "pages skipped of partly read column chunks", _.pagesSkipped),
    new ReadMetric("rowsDropped", "rows dropped by predicates in the scan", _.rowsDropped),
    new ReadMetric("leafChunksSkipped", "column chunks skipped (all null)", _.leafChunksSkipped),
    new ReadMetric("leafChunksRead", "column chunks read", _.leafChunksRead),
    new ReadMetric(BytesRead, "compressed bytes of column chunks read", _.leafBytesRead)
  )
}
