package io.github.variantshredded.read.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.v2.FileScanBuilder

/** Takes the predicates that choose partitions, and no others. */
private[variantshredded] trait PartitionFilterPushDown extends FileScanBuilder {

  /**
   * Returns the predicates that have to be evaluated above the scan: all but those that choose
   * partitions. Spark's builder returns no predicate on partition columns alone, although it does not
   * choose partitions by a Python UDF.
   */
  override def pushFilters(filters: Seq[Expression]): Seq[Expression] = {
    val _ = super.pushFilters(filters)
    filters.filterNot(partitionFilters.contains)
  }
}
