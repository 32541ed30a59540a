package io.github.variantshredded.read.scan

import java.util.OptionalLong

import scala.util.control.NonFatal

import io.github.variantshredded.extraction.PathExtraction
import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.footer.FileSummary
import io.github.variantshredded.read.options.{ReadMetrics, VariantContext, VariantReadOptions}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types.StructType

/**
 * How large what a scan delivers is, for Spark's choice of joins.
 *
 * @param bytes
 *   of the column chunks that are read, compressed
 */
private[read] final case class ScanEstimate(bytes: Double, rows: Long) {

  /**
   * As Spark wants it.
   *
   * A column of few values takes next to nothing in a file, but not as rows: these are reckoned to
   * take 8 bytes each at least, which is what Spark itself reckons for a row without columns.
   *
   * @param compressionFactor
   *   bytes in memory of a byte in a file, by the session's settings
   */
  def statistics(compressionFactor: Double): Statistics =
    ScanEstimate.statistics(math.max(compressionFactor * bytes, 8.0 * rows), Some(rows))
}

private[read] object ScanEstimate {

  /**
   * Reckons that all files are like those of a sample.
   *
   * @param sample
   *   of the files that are scanned
   * @param length
   *   of all of these, in bytes
   * @param wanted
   *   data columns
   * @param extractedVariants
   *   the Variants that are extracted from, in the structs that hold them
   * @param conf
   *   see [[ReaderConf]]
   * @return
   *   None if the sample is of no use
   */
  def of(
      sample: Seq[FileSummary],
      length: Long,
      wanted: StructType,
      extractedVariants: StructType,
      extractions: Seq[PathExtraction],
      options: VariantReadOptions,
      conf: Configuration
  ): Option[ScanEstimate] = {
    val known = sample.groupBy(_.schema).values.toSeq.flatMap { same =>
      val files = same.reduce(_ + _)
      Estimated(files -> needed(files, wanted, extractedVariants, extractions, options, conf))
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

  /** Compressed bytes of the leaves that are read. */
  private def needed(
      files: FileSummary,
      wanted: StructType,
      extractedVariants: StructType,
      extractions: Seq[PathExtraction],
      options: VariantReadOptions,
      conf: Configuration
  ): Long = {
    // Nothing is decoded: only the leaves are asked for.
    val settings = new DecoderSettings(
      convertTz = null,
      datetimeRebase = RebaseSpec(LegacyBehaviorPolicy.CORRECTED),
      int96Rebase = RebaseSpec(LegacyBehaviorPolicy.CORRECTED),
      writerVersion = null,
      capacity = 1,
      offHeap = false
    )
    val context = new VariantContext(options.strict, options.maxDepth, new ReadMetrics, "")
    val columns = new FileColumns(
      files.schema,
      wanted,
      extractedVariants,
      extractions,
      conf,
      settings,
      context,
      files
    )
    val leaves = columns.leaves -- columns.skipped(files.allNullLeaves)
    leaves.iterator.map(files.size(_)).sum
  }
}

/** A part of an estimate, which must not make a query fail: None where there is an error. */
private[read] object Estimated {
  def apply[T](body: => T): Option[T] =
    try Some(body)
    catch {
      // A footer that claims more than there can be.
      case _: StackOverflowError | _: OutOfMemoryError => None
      case NonFatal(_)                                 => None
    }
}
