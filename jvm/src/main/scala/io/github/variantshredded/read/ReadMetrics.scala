package io.github.variantshredded.read

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/** What one task has read, counted while it reads; Spark's UI shows the sums over the tasks. */
private[read] final class ReadMetrics {

  /** Variants put together from their columns. */
  var variantsRebuilt: Long = 0L

  /** Values read from a `value` column. */
  var residualValuesRead: Long = 0L

  /** Batches of extracted columns that are a decoded column as it is. */
  var vectorsPassedThrough: Long = 0L

  /** Violations of the spec that `mode=permissive` read over. */
  var violationsTolerated: Long = 0L

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

  def taskMetrics: Array[CustomTaskMetric] = Array(
    ReadMetrics.value("variantsRebuilt", variantsRebuilt),
    ReadMetrics.value("residualValuesRead", residualValuesRead),
    ReadMetrics.value("vectorsPassedThrough", vectorsPassedThrough),
    ReadMetrics.value("violationsTolerated", violationsTolerated),
    ReadMetrics.value("rowGroupsRead", rowGroupsRead),
    ReadMetrics.value("rowGroupsSkippedByStatistics", rowGroupsSkippedByStatistics),
    ReadMetrics.value("rowGroupsSkippedByPages", rowGroupsSkippedByPages),
    ReadMetrics.value("rowGroupsSkippedByBloomFilters", rowGroupsSkippedByBloomFilters),
    ReadMetrics.value("rowGroupsSkippedByDictionaries", rowGroupsSkippedByDictionaries),
    ReadMetrics.value("rowGroupsSkippedByConditions", rowGroupsSkippedByConditions),
    ReadMetrics.value("rowsSkippedByPages", rowsSkippedByPages),
    ReadMetrics.value("pagesRead", pagesRead),
    ReadMetrics.value("pagesSkipped", pagesSkipped),
    ReadMetrics.value("rowsDropped", rowsDropped),
    ReadMetrics.value("leafChunksSkipped", leafChunksSkipped),
    ReadMetrics.value("leafChunksRead", leafChunksRead),
    ReadMetrics.value("leafBytesRead", leafBytesRead)
  )
}

object ReadMetrics {

  /** The metrics of a scan; each is a sum over the tasks. */
  def supported: Array[CustomMetric] = Array(
    new VariantsRebuilt,
    new ResidualValuesRead,
    new VectorsPassedThrough,
    new ViolationsTolerated,
    new RowGroupsRead,
    new RowGroupsSkippedByStatistics,
    new RowGroupsSkippedByPages,
    new RowGroupsSkippedByBloomFilters,
    new RowGroupsSkippedByDictionaries,
    new RowGroupsSkippedByConditions,
    new RowsSkippedByPages,
    new PagesRead,
    new PagesSkipped,
    new RowsDropped,
    new LeafChunksSkipped,
    new LeafChunksRead,
    new LeafBytesRead
  )

  private def value(metric: String, count: Long): CustomTaskMetric = new CustomTaskMetric {
    override def name(): String = metric
    override def value(): Long = count
  }
}

// Spark makes these anew by reflection where it shows them, so each is a class of its own.

final class VariantsRebuilt extends CustomSumMetric {
  override def name(): String = "variantsRebuilt"
  override def description(): String = "Variants rebuilt"
}

final class ResidualValuesRead extends CustomSumMetric {
  override def name(): String = "residualValuesRead"
  override def description(): String = "residual values read"
}

final class VectorsPassedThrough extends CustomSumMetric {
  override def name(): String = "vectorsPassedThrough"
  override def description(): String = "extracted column batches passed through"
}

final class ViolationsTolerated extends CustomSumMetric {
  override def name(): String = "violationsTolerated"
  override def description(): String = "spec violations read over"
}

final class RowGroupsRead extends CustomSumMetric {
  override def name(): String = "rowGroupsRead"
  override def description(): String = "row groups read"
}

final class RowGroupsSkippedByStatistics extends CustomSumMetric {
  override def name(): String = "rowGroupsSkippedByStatistics"
  override def description(): String = "row groups skipped by statistics"
}

final class RowGroupsSkippedByPages extends CustomSumMetric {
  override def name(): String = "rowGroupsSkippedByPages"
  override def description(): String = "row groups skipped by column indexes"
}

final class RowGroupsSkippedByBloomFilters extends CustomSumMetric {
  override def name(): String = "rowGroupsSkippedByBloomFilters"
  override def description(): String = "row groups skipped by bloom filters"
}

final class RowGroupsSkippedByDictionaries extends CustomSumMetric {
  override def name(): String = "rowGroupsSkippedByDictionaries"
  override def description(): String = "row groups skipped by dictionaries"
}

final class RowGroupsSkippedByConditions extends CustomSumMetric {
  override def name(): String = "rowGroupsSkippedByConditions"
  override def description(): String = "row groups skipped after their conditions were decoded"
}

final class RowsSkippedByPages extends CustomSumMetric {
  override def name(): String = "rowsSkippedByPages"
  override def description(): String = "rows skipped by column indexes"
}

final class PagesRead extends CustomSumMetric {
  override def name(): String = "pagesRead"
  override def description(): String = "pages read of chunks read in part"
}

final class PagesSkipped extends CustomSumMetric {
  override def name(): String = "pagesSkipped"
  override def description(): String = "pages skipped of chunks read in part"
}

final class RowsDropped extends CustomSumMetric {
  override def name(): String = "rowsDropped"
  override def description(): String = "rows dropped in the scan"
}

final class LeafChunksSkipped extends CustomSumMetric {
  override def name(): String = "leafChunksSkipped"
  override def description(): String = "column chunks skipped (all null)"
}

final class LeafChunksRead extends CustomSumMetric {
  override def name(): String = "leafChunksRead"
  override def description(): String = "column chunks read"
}

final class LeafBytesRead extends CustomSumMetric {
  override def name(): String = "leafBytesRead"
  override def description(): String = "bytes of column chunks read"
}
