package io.github.variantshredded.read.options

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric}

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
