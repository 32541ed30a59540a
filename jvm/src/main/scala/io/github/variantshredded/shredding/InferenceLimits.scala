package io.github.variantshredded.shredding

/**
 * What the inference of a shredding schema may look at and spend.
 *
 * @param rows
 *   rows at the beginning of a file that are looked at
 * @param bytes
 *   bytes of rows that are held before the file is begun; the row that reaches it is the last one
 * @param columns
 *   Parquet leaf columns that shredding may add to one file, all its Variants together. A primitive
 *   field takes two (`value` and `typed_value`), a field without a type, an object and an array one
 * @param depth
 *   deepest object or array that gets a group; the topmost value has depth 1
 * @param frequency
 *   least share of rows, among those where the column is not SQL NULL, in which a path holds
 *   something other than null
 * @param typeShare
 *   least share that one type must have among a path's values other than null
 */
final case class InferenceLimits(
    rows: Int = InferenceLimits.DefaultRows,
    bytes: Long = InferenceLimits.DefaultBytes,
    columns: Int = InferenceLimits.DefaultColumns,
    depth: Int = InferenceLimits.DefaultDepth,
    frequency: Double = InferenceLimits.DefaultFrequency,
    typeShare: Double = InferenceLimits.DefaultTypeShare
)

object InferenceLimits {

  /** Enough that a share of one percent is a sample of forty rows. */
  final val DefaultRows = 4096

  /** What one task can hold without minding, at any row size. */
  final val DefaultBytes: Long = 64L * 1024 * 1024

  /** Each leaf column has a page buffer and is looked at for every row that is written. */
  final val DefaultColumns = 300

  /** Deeper paths are looked for in `value`; JSON by hand or by schema stays far below. */
  final val DefaultDepth = 50

  /**
   * One row of twenty. A leaf that a row lacks costs two entries in a run of nulls, and readers take
   * just the leaves they ask for, so columns are cheap; but below this a row group has too few
   * values for statistics and dictionaries to pay, and whether a path is seen among the first rows
   * becomes a matter of luck.
   */
  final val DefaultFrequency = 0.05

  /** With half of the values the typed column still saves more than the second column costs. */
  final val DefaultTypeShare = 0.5

  /**
   * Paths that are counted at most in one column; later ones are left out. It bounds the memory that
   * data takes whose field names are keys of their own, such as ids.
   */
  final val MaxTrackedPaths = 20000
}
