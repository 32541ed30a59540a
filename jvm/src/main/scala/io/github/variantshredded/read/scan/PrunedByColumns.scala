package io.github.variantshredded.read.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.PartitionDirectory

/**
 * Marks an index of files that knows which values of some data columns a file can have, and leaves
 * out files by filters that Spark derives at run time.
 */
private[variantshredded] trait PrunedByColumns {

  /** Returns the names of these columns. */
  def prunedBy: Set[String]

  /** Returns the files that may have rows that pass the filters, which are on these columns. */
  def pruned(filters: Seq[Expression]): Seq[PartitionDirectory]
}
