package io.github.variantshredded.read.skip

import java.util.Arrays

import io.github.variantshredded.read.footer.NullCounts
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

/**
 * Holds what is known about the values of one leaf column in some rows: the rows of a row group or
 * of a page, or the rows with one dictionary entry.
 *
 * @param allNull
 *   whether all values are known to be null
 * @param noNull
 *   whether no value is known to be null
 * @param min
 *   a lower bound of the values, encoded as in Parquet's statistics (PLAIN, without a length); null
 *   if unknown
 * @param max
 *   an upper bound of the values except NaN, encoded in the same way; null if unknown
 * @param exact
 *   whether `min` and `max` are values of the column
 */
private[skip] final case class LeafRange(
    allNull: Boolean,
    noNull: Boolean,
    min: Array[Byte],
    max: Array[Byte],
    exact: Boolean
) {
  def hasBounds: Boolean = min != null && max != null

  /** Returns true if a `value` column holds only nulls and Variant nulls (the byte `00`). */
  def hasOnlyVariantNulls: Boolean =
    allNull || (LeafRange.isVariantNull(max) &&
      (min == null || min.isEmpty || LeafRange.isVariantNull(min)))

  /**
   * Returns true if an `untyped_value` column holds only nulls and Variant nulls. Here, a Variant
   * null is preceded by metadata without names, with or without the flag for sorted names. All
   * values must have the same bytes.
   */
  def hasOnlyOwnVariantNulls: Boolean = allNull || (hasBounds && Arrays.equals(min, max) &&
    LeafRange.OwnNulls.exists(Arrays.equals(_, min)))
}

private[skip] object LeafRange {

  private val OwnNulls = Seq(Array[Byte](0x01, 0, 0, 0), Array[Byte](0x11, 0, 0, 0))

  private def isVariantNull(bound: Array[Byte]): Boolean =
    bound != null && bound.length == 1 && bound(0) == 0

  /** Says that nothing is known about the values. */
  val Unknown: LeafRange = LeafRange(allNull = false, noNull = false, null, null, exact = false)

  val AllNull: LeafRange = LeafRange(allNull = true, noNull = false, null, null, exact = false)

  /** Returns what the footer says about a chunk. */
  def of(chunk: ColumnChunkMetaData): LeafRange =
    of(chunk.getStatistics: Statistics[_], chunk.getValueCount)

  /**
   * Returns what statistics say.
   *
   * @param valueCount
   *   number of values, including nulls
   */
  def of(statistics: Statistics[_], valueCount: Long): LeafRange =
    if (statistics == null) Unknown
    else {
      val bounded = statistics.hasNonNullValue
      LeafRange(
        allNull = NullCounts.isAllNull(statistics, valueCount),
        noNull = NullCounts.of(statistics).contains(0L),
        min = if (bounded) statistics.getMinBytes else null,
        max = if (bounded) statistics.getMaxBytes else null,
        exact = false
      )
    }

  /** Returns the range of a dictionary entry, which has a single value. */
  def entry(value: Array[Byte]): LeafRange =
    LeafRange(allNull = false, noNull = true, value, value, exact = true)
}
