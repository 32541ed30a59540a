package io.github.variantshredded.read.options

import org.apache.spark.sql.connector.metric.CustomTaskMetric

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
