package io.github.variantshredded.write.file

import org.apache.spark.sql.execution.datasources.WriteTaskStats

/**
 * Holds the statistics of a write: of one file, or of all files of a task or of a job.
 *
 * @param bytes
 *   size of the files
 * @param leaves
 *   most leaf columns of one file
 * @param typedBytes
 *   bytes of the Variants' values in typed columns, before encoding
 * @param residualBytes
 *   bytes of the Variants' residual values, before encoding
 * @param rolled
 *   number of files that ended because of schema drift
 * @param used
 *   indexes of the paths of [[OptionPaths]] that rows have
 */
private[write] final case class WriteStats(
    files: Int,
    rows: Long,
    bytes: Long,
    leaves: Int,
    typedBytes: Long,
    residualBytes: Long,
    rolled: Int = 0,
    used: Set[Int] = Set.empty
) extends WriteTaskStats {

  def +(other: WriteStats): WriteStats = WriteStats(
    files + other.files,
    rows + other.rows,
    bytes + other.bytes,
    math.max(leaves, other.leaves),
    typedBytes + other.typedBytes,
    residualBytes + other.residualBytes,
    rolled + other.rolled,
    used ++ other.used
  )

  /** Returns the share of residual values in the bytes of the Variants, in thousandths. */
  def residualPerMille: Long = {
    val all = typedBytes + residualBytes
    if (all == 0) 0 else math.round(residualBytes * 1000.0 / all)
  }

  override def toString: String =
    s"$rows rows, $bytes bytes, $leaves leaf columns, " +
      s"${ResidualShare.text(residualPerMille)} of the Variants' bytes in residual values"
}

private[write] object WriteStats {
  val Empty: WriteStats = WriteStats(0, 0, 0, 0, 0, 0)
}
