package io.github.variantshredded.write.infer

/**
 * Limits the sample, from which the schemas of a file are inferred.
 *
 * @param rows
 *   most rows in the sample, which are the first rows of a file
 * @param bytes
 *   most bytes in the sample; the row that reaches this size is the last one
 */
private[write] final case class SampleLimits(rows: Int, bytes: Long)

private[write] object SampleLimits {

  /** With this many rows, a share of one percent is a sample of forty rows. */
  final val DefaultRows = 4096

  /** A task can easily hold this much in memory, whatever the size of a row. */
  final val DefaultBytes: Long = 64L * 1024 * 1024
}
