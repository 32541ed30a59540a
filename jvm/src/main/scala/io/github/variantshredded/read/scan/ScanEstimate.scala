package io.github.variantshredded.read.scan

import java.util.OptionalLong

import io.github.variantshredded.read.columns.{FileColumns, RequestedColumns}
import io.github.variantshredded.read.footer.FooterTotals
import io.github.variantshredded.read.options.{FileContext, ReadMetrics, VariantRules}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.connector.read.Statistics

/**
 * Estimates the size of the result of a scan. Spark chooses joins by this size.
 *
 * @param bytes
 *   compressed bytes of the column chunks to read
 * @param rows
 *   number of rows
 */
private[read] final case class ScanEstimate(bytes: Double, rows: Long) {

  /**
   * Returns the estimate as Spark's statistics.
   *
   * A column with few distinct values takes almost no bytes in a file, but its rows do in memory.
   * So the estimate is at least 8 bytes per row, which Spark itself assumes for a row without
   * columns.
   *
   * @param compressionFactor
   *   bytes in memory per byte in a file (`spark.sql.sources.fileCompressionFactor`)
   */
  def statistics(compressionFactor: Double): Statistics =
    ScanEstimate.statistics(math.max(compressionFactor * bytes, 8.0 * rows), Some(rows))
}

private[read] object ScanEstimate {

  /**
   * Estimates the size of a scan, on the assumption that all files are similar to those of a
   * sample.
   *
   * @param sample
   *   totals of some of the scanned files
   * @param length
   *   bytes of all scanned files
   * @param conf
   *   the configuration that [[io.github.variantshredded.read.options.ReaderConf]] makes
   * @return
   *   None if the sample cannot be used
   */
  def of(
      sample: Seq[FooterTotals],
      length: Long,
      asked: RequestedColumns,
      rules: VariantRules,
      conf: Configuration
  ): Option[ScanEstimate] = {
    val known = sample.groupBy(_.schema).values.toSeq.flatMap { same =>
      val files = same.reduce(_ + _)
      Estimated(files -> needed(files, asked, rules, conf))
    }
    val sampled = known.map(_._1.length).sum
    Option.when(sampled > 0) {
      val scale = length.toDouble / sampled
      val rows = known.map(_._1.rows).sum
      ScanEstimate(
        known.map(_._2).sum * scale,
        if (length == sampled) rows else math.round(rows * scale)
      )
    }
  }

  def statistics(bytes: Double, rows: Option[Long]): Statistics = new Statistics {
    override def sizeInBytes(): OptionalLong = OptionalLong.of(math.max(1L, bytes.toLong))
    override def numRows(): OptionalLong = rows.fold(OptionalLong.empty())(OptionalLong.of)
  }

  /** Returns the compressed bytes of the leaf columns to read. */
  private def needed(
      files: FooterTotals,
      asked: RequestedColumns,
      rules: VariantRules,
      conf: Configuration
  ): Long = {
    // The rules do not matter: nothing is decoded, only the leaf columns are determined.
    val context = new FileContext(rules, new ReadMetrics, "")
    val columns = new FileColumns(files.schema, asked, conf, context, files)
    val leaves = columns.leaves -- columns.skipped(files.allNullLeaves)
    leaves.iterator.map(files.size(_)).sum
  }
}
