package io.github.variantshredded.read.skip

import java.util.Arrays

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

/**
 * What is known of the values of one leaf column in some rows: those of a row group or a page, or
 * one entry of a dictionary.
 *
 * @param allNull
 *   known to be all null
 * @param noNull
 *   known to have no null
 * @param min
 *   no value is less; as Parquet encodes statistics (PLAIN, without a length); null if unknown
 * @param max
 *   no value is greater, but for NaN
 * @param exact
 *   whether `min` and `max` are themselves values
 */
private[skip] final case class LeafRange(
    allNull: Boolean,
    noNull: Boolean,
    min: Array[Byte],
    max: Array[Byte],
    exact: Boolean
) {
  def hasBounds: Boolean = min != null && max != null

  /** Whether there is nothing but nulls and Variant nulls (`00`) in this `value` column. */
  def isVoid: Boolean = allNull || (max != null && max.length == 1 && max(0) == 0)

  /**
   * The same of an `untyped_value` column, where a Variant null stands behind a metadata without
   * names: flagged as sorted or not, if all are alike.
   */
  def isOwnVoid: Boolean = allNull || (hasBounds && Arrays.equals(min, max) &&
    LeafRange.OwnNulls.exists(Arrays.equals(_, min)))
}

private[skip] object LeafRange {

  private val OwnNulls = Seq(Array[Byte](0x01, 0, 0, 0), Array[Byte](0x11, 0, 0, 0))

  /** Nothing is known. */
  val Unknown: LeafRange = LeafRange(allNull = false, noNull = false, null, null, exact = false)

  val AllNull: LeafRange = LeafRange(allNull = true, noNull = false, null, null, exact = false)

  /** What the footer says of a chunk. */
  def of(chunk: ColumnChunkMetaData): LeafRange =
    of(chunk.getStatistics: Statistics[_], chunk.getValueCount)

  /**
   * @param valueCount
   *   nulls included
   */
  def of(statistics: Statistics[_], valueCount: Long): LeafRange =
    if (statistics == null) Unknown
    else {
      val nulls = if (statistics.isNumNullsSet) statistics.getNumNulls else -1L
      val bounded = statistics.hasNonNullValue
      LeafRange(
        allNull = !bounded && nulls == valueCount,
        noNull = nulls == 0,
        min = if (bounded) statistics.getMinBytes else null,
        max = if (bounded) statistics.getMaxBytes else null,
        exact = false
      )
    }

  /** The one value of a dictionary's entry. */
  def entry(value: Array[Byte]): LeafRange =
    LeafRange(allNull = false, noNull = true, value, value, exact = true)
}
