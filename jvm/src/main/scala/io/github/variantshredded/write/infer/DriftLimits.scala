package io.github.variantshredded.write.infer

/**
 * Holds the limits of the check for schema drift.
 *
 * @param rows
 *   number of rows of a file after which its last rows are checked; 0 for no check
 * @param files
 *   most files that a task ends because of schema drift
 */
private[write] final case class DriftLimits(rows: Int, files: Int)

private[write] object DriftLimits {

  /** With this number, less than one row in a hundred is checked. */
  final val DefaultRows = 131072

  /** A limit, so that data which change all the time are not written as many small files. */
  final val DefaultFiles = 8

  /** Rows of a drift sample. If a tenth of them have a field, the standard error is one percent. */
  final val SampledRows = 1024
}
