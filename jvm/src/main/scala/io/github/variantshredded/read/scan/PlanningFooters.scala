package io.github.variantshredded.read.scan

import java.util.concurrent.Executors

import scala.collection.mutable
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration
import scala.util.Using

import io.github.variantshredded.read.footer.{FileSummary, FooterCache, FooterReader}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.util.HadoopInputFile

/**
 * The footers by which the scans of one relation in a query are estimated, on the driver.
 *
 * A few are enough, as the rest of a table is reckoned to be like them: those that this process has
 * read lately, and some that are read for the purpose. None is read twice, and one that cannot be read
 * is none: the query itself will say so.
 */
final class PlanningFooters {
  import PlanningFooters._

  private val summaries = mutable.Map.empty[String, Option[FileSummary]]

  private var read = 0

  private val estimates = mutable.Map.empty[Any, Option[ScanEstimate]]

  /**
   * An estimate by these footers, made once: Spark's optimizer asks for that of a scan many times, and
   * rebuilds scans that are the same.
   *
   * @param scan
   *   what of the scan the estimate depends on
   */
  private[read] def estimate(scan: Any)(make: => Option[ScanEstimate]): Option[ScanEstimate] =
    synchronized(estimates.getOrElseUpdate(scan, make))

  /**
   * What the footers of some of the files say.
   *
   * @param mostRead
   *   so many are read at most, for all scans together
   */
  private[read] def sample(
      files: Seq[FileStatus],
      mostRead: Int,
      conf: Configuration
  ): Seq[FileSummary] = synchronized {
    val (known, others) = spread(files, MostAsked).partition(isKnown)
    val unknown = spread(others, math.max(0, mostRead - read))
    read += unknown.size
    unknown.zip(readAll(unknown, conf)).foreach { case (file, found) =>
      summaries(file.getPath.toString) = found
    }
    (spread(known, MostUsed) ++ unknown).flatMap(summary)
  }

  private def isKnown(file: FileStatus): Boolean =
    summaries.contains(file.getPath.toString) || FooterCache.find(file).isDefined

  private def summary(file: FileStatus): Option[FileSummary] =
    summaries.getOrElseUpdate(
      file.getPath.toString,
      FooterCache.find(file).flatMap(footer => Estimated(FileSummary(footer, file.getLen)))
    )

  private def readAll(files: Seq[FileStatus], conf: Configuration): Seq[Option[FileSummary]] =
    if (files.size <= 1) files.map(readOne(_, conf))
    else {
      val threads = Executors.newFixedThreadPool(math.min(files.size, AtOnce))
      implicit val context: ExecutionContext = ExecutionContext.fromExecutorService(threads)
      try files.map(file => Future(readOne(file, conf))).map(Await.result(_, Duration.Inf))
      finally threads.shutdownNow(): Unit
    }

  private def readOne(file: FileStatus, conf: Configuration): Option[FileSummary] = Estimated {
    val input = HadoopInputFile.fromStatus(file, conf)
    val options = HadoopReadOptions.builder(conf, file.getPath).build()
    val footer = FooterCache.get(file) {
      Using.resource(input.newStream())(FooterReader.read(input, options, _))
    }
    FileSummary(footer, file.getLen)
  }
}

private object PlanningFooters {

  /** Files of which it is asked whether their footers are known. */
  final val MostAsked = 1000

  /** Footers known already that are looked at. */
  final val MostUsed = 64

  private final val AtOnce = 8

  /** At most `count` of the values, spread evenly. */
  def spread[T](values: Seq[T], count: Int): Seq[T] =
    if (values.size <= count) values
    else {
      val indexed = values.toIndexedSeq
      (0 until count).map(i => indexed((i.toLong * indexed.size / count).toInt))
    }
}
