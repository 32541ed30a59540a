package io.github.variantshredded.read.scan

import scala.collection.mutable
import scala.util.Using

import io.github.variantshredded.read.footer.{
  ColumnNames,
  FileTail,
  FooterCache,
  FooterReader,
  FooterTotals,
  InParallel,
  RenamedFooter
}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.util.HadoopInputFile

/**
 * Reads the footers from which the sizes of the scans of one relation are estimated, on the driver.
 *
 * A sample is enough, because the other files are assumed to be similar: footers that this process
 * has read recently, and a few that are read for this purpose. No footer is read twice. A footer
 * that cannot be read is ignored, because the query itself will report the error.
 *
 * @param names
 *   the names of the columns in the table; None if they are those of the files
 */
final class PlanningFooters(names: Option[ColumnNames] = None) {
  import PlanningFooters._

  private val totals = mutable.Map.empty[String, Option[FooterTotals]]

  private var read = 0

  private val estimates = mutable.Map.empty[Any, Option[ScanEstimate]]

  /**
   * Returns the estimate of a scan from these footers. It is computed once per scan, because
   * Spark's optimizer requests it many times and rebuilds equal scans.
   *
   * @param scan
   *   everything of the scan that the estimate depends on
   */
  private[read] def estimate(scan: Any)(make: => Option[ScanEstimate]): Option[ScanEstimate] =
    synchronized(estimates.getOrElseUpdate(scan, make))

  /**
   * Returns what the footers of some of the files say.
   *
   * @param maxRead
   *   maximum number of footers to read, for all scans together
   */
  private[read] def sample(
      files: Seq[FileStatus],
      maxRead: Int,
      conf: Configuration
  ): Seq[FooterTotals] = synchronized {
    val (known, others) = spread(files, MaxAsked).partition(isKnown)
    val unknown = spread(others, math.max(0, maxRead - read))
    read += unknown.size
    unknown.zip(InParallel(unknown)(readOne(_, conf))).foreach { case (file, found) =>
      totals(file.getPath.toString) = found
    }
    val found = (spread(known, MaxUsed) ++ unknown).flatMap(totalsIfKnown)
    // A scan whose files were chosen after the footers had been read for all files.
    if (found.isEmpty && read >= maxRead) totals.values.flatten.toSeq else found
  }

  private def isKnown(file: FileStatus): Boolean =
    totals.contains(file.getPath.toString) || FooterCache.find(file).isDefined

  private def totalsIfKnown(file: FileStatus): Option[FooterTotals] =
    totals.getOrElseUpdate(
      file.getPath.toString,
      FooterCache.find(file).flatMap(footer => Estimated(totalsOf(footer, file)))
    )

  private def readOne(file: FileStatus, conf: Configuration): Option[FooterTotals] = Estimated {
    val input = HadoopInputFile.fromStatus(file, conf)
    val options = HadoopReadOptions.builder(conf, file.getPath).build()
    val footer = FooterCache.get(file) {
      val tail = Using.resource(input.newStream())(FileTail.read(_, file))
      FooterReader.read(input, options, tail, file)
    }
    totalsOf(footer, file)
  }

  private def totalsOf(footer: FooterCache.Footer, file: FileStatus): FooterTotals =
    FooterTotals(RenamedFooter(footer, names), file.getLen)
}

private object PlanningFooters {

  /** The maximum number of files for which the cache of footers is searched. */
  final val MaxAsked = 1000

  /** The maximum number of cached footers that are used. */
  final val MaxUsed = 64

  /** Returns at most `count` of the values, evenly spaced. */
  def spread[T](values: Seq[T], count: Int): Seq[T] =
    if (values.size <= count) values
    else {
      val indexed = values.toIndexedSeq
      (0 until count).map(i => indexed((i.toLong * indexed.size / count).toInt))
    }
}
