package io.github.variantshredded.read.extract

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * What a query asks of one position of a Variant, slot by slot: a slot is a row or, below an array,
 * an element.
 */
private[read] abstract class ValueColumn {

  /** The values of the current batch; in the next batch another vector may take its place. */
  def vector: ColumnVector

  /** Called once a row group, before its first batch. */
  def startRowGroup(): Unit = ()

  /** Called once a batch, after its leaves are decoded. */
  def startBatch(slots: Int): Unit

  /** Whether the cast of any slot of the batch failed. */
  def failed: Boolean = false

  /** Why the cast of a slot failed; null where it did not. */
  def error(slot: Int): SparkThrowable = null

  def close(): Unit = ()
}
