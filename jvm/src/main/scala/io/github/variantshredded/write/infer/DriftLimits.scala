package io.github.variantshredded.write.infer

/**
 * How a task follows data that change.
 *
 * @param rows
 *   of so many rows of a file the last are looked at; 0: none
 * @param files
 *   files at most that a task ends because of that
 */
private[write] final case class DriftLimits(rows: Int, files: Int)

private[write] object DriftLimits {

  /** Less than one row of a hundred is looked at. */
  final val DefaultRows = 131072

  /** So that data which change all the time do not end in small files. */
  final val DefaultFiles = 8

  /** Rows of a sample: at the edge of a tenth, one percent up or down is its standard error. */
  final val SampledRows = 1024
}
