package io.github.variantshredded.read.footer

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

/** Says how many values of a column chunk are null, according to the footer. */
private[read] object NullCounts {

  /** Returns the number of nulls, or None if the footer does not say a possible one. */
  def of(chunk: ColumnChunkMetaData): Option[Long] =
    of(chunk.getStatistics: Statistics[_]).filter(_ <= chunk.getValueCount)

  /** Returns the number of nulls, or None if `statistics` are null or do not say. */
  def of(statistics: Statistics[_]): Option[Long] =
    if (statistics != null && statistics.isNumNullsSet) Some(statistics.getNumNulls) else None

  /** Returns true if the footer says that the chunk holds only nulls. */
  def isAllNull(chunk: ColumnChunkMetaData): Boolean =
    isAllNull(chunk.getStatistics: Statistics[_], chunk.getValueCount)

  /**
   * Returns true if all values are null. Statistics with bounds contradict a null count that says
   * so; then nothing is left out because of the null count.
   *
   * @param valueCount
   *   number of values, including nulls
   */
  def isAllNull(statistics: Statistics[_], valueCount: Long): Boolean =
    of(statistics).contains(valueCount) && !statistics.hasNonNullValue
}
