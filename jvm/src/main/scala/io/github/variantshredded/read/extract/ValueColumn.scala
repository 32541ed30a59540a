package io.github.variantshredded.read.extract

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Computes one extraction, or a part of it, for one position of a Variant. A slot is a row or,
 * below an array, an element.
 */
private[read] abstract class ValueColumn {

  /** Returns the values of the current batch. The next batch may have another vector. */
  def vector: ColumnVector

  /** Prepares for a row group. Must be called before its first batch. */
  def startRowGroup(): Unit = ()

  /** Starts a batch. Must be called after its leaf columns have been decoded. */
  def startBatch(slots: Int): Unit

  /** Returns true if the cast of any slot of the batch failed. */
  def failed: Boolean = false

  /** Returns the error of the cast in a slot, or null if it did not fail. */
  def error(slot: Int): SparkThrowable = null

  def close(): Unit = ()
}
