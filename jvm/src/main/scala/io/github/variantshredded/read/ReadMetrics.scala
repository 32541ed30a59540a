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
