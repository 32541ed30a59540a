package io.github.variantshredded.read.file

import java.io.IOException

import scala.util.control.NonFatal

import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.read.pages.{ByteRange, RowGroups, RowSelection}
import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Selects the rows of a row group that are decoded for the result. It leaves out only rows that
 * certainly do not meet the predicates of the query.
 *
 * First comes data skipping. Then, where it pays, late materialization: predicates are evaluated in
 * the order of their cost and selectivity, each on the rows that the predicates before it kept.
 *
 * @param skipping
 *   data skipping in this file
 * @param evaluators
 *   the predicates that need fewer columns than `output` decodes
 * @param leastSaving
 *   the minimum of compressed bytes, in columns that a predicate does not need, for which the
 *   predicate is evaluated first
 * @param rowGroups
 *   the row groups, whose bytes are requested ahead of the reads
 */
private[read] final class ResultRows(
    skipping: DataSkipping,
    evaluators: Seq[ConjunctEvaluator],
    output: BatchDecoder,
    leastSaving: Long,
    rowGroups: RowGroups,
    metrics: ReadMetrics
) extends AutoCloseable {
  import DataSkipping.Candidates
  import ResultRows._

  /** What the indexes of a row group have left, if it has been prepared. */
  private var prepared = Option.empty[Candidates]

  /** The number of the row group that could not be prepared, and why. */
  private var unprepared = Option.empty[(Int, Throwable)]

  /**
   * Requests the bytes of a row group that will be read, if the file is remote, while another row
   * group is decoded. If this fails, [[select]] raises the error.
   *
   * @param liveRows
   *   the rows that the table still has
   */
  def prepare(index: Int, rowGroup: BlockMetaData, liveRows: => RowSelection): Unit =
    try {
      val candidates = skipping.byIndexes(index, rowGroup, liveRows)
      prepared = Some(candidates)
      requestBeforeDictionaries(candidates)
    } catch { case NonFatal(e) => unprepared = Some(index -> e) }

  /**
   * Returns the rows of a row group that may be in the result. `output` must have moved to the row
   * group.
   */
  def select(index: Int, rowGroup: BlockMetaData, liveRows: => RowSelection): RowSelection = {
    val found =
      try indexed(index, rowGroup, liveRows)
      catch {
        // A stream may close itself when a read fails. Then only the first failure tells why.
        case e: IOException =>
          throw unprepared.collect { case (`index`, first) => first }.getOrElse(e)
      }
    prepared = None
    unprepared = None
    val candidates = skipping.byDictionaries(found)
    val isAll = candidates.size == rowGroup.getRowCount
    if (candidates.isEmpty || (evaluators.isEmpty && isAll)) candidates
    else byPredicates(index, rowGroup, candidates)
  }

  private def indexed(
      index: Int,
      rowGroup: BlockMetaData,
      liveRows: => RowSelection
  ): Candidates = {
    val found =
      prepared.filter(_.index == index).getOrElse(skipping.byIndexes(index, rowGroup, liveRows))
    requestBeforeDictionaries(found)
    found
  }

  /**
   * Requests all that may be read of a row group, or else what the predicates need. Dictionary pages,
   * which are part of it, may show that nothing is needed, so these are few bytes until one row group
   * was not excluded. If what the predicates need is more, requests the dictionary pages only.
   */
  private def requestBeforeDictionaries(found: Candidates): Unit =
    if (rowGroups.isRemote && !found.rows.isEmpty) {
      val most = if (skipping.mayDictionariesExclude) MaxBeforeDictionaries else MaxAtOnce
      if (!requestAll(found, most)) {
        val dictionaries = skipping.dictionaries(found)
        if (!request(predicatesOf(found) ++ dictionaries, most)) rowGroups.request(dictionaries)
      }
    }

  private def requestAll(found: Candidates, most: Long): Boolean =
    request(output.ranges(found.index, found.rows) ++ predicatesOf(found), most)

  private def predicatesOf(found: Candidates): Seq[ByteRange] =
    evaluators.flatMap(_.ranges(found.index, found.rows))

  /** Requests ranges unless they have more bytes than `most`. Returns whether it did. */
  private def request(ranges: Seq[ByteRange], most: Long): Boolean = {
    val isLittle = ByteRange.merged(ranges).map(_.size).sum <= most
    if (isLittle) rowGroups.request(ranges)
    isLittle
  }

  /**
   * Requests what the predicates need, and what the result needs too if both together are few bytes
   * for a request.
   */
  private def requestPredicates(index: Int, candidates: RowSelection): Unit =
    if (rowGroups.isRemote) {
      val found = Candidates(index, candidates, Nil)
      if (!requestAll(found, MaxAtOnce)) rowGroups.request(predicatesOf(found))
    }

  private def byPredicates(
      index: Int,
      rowGroup: BlockMetaData,
      candidates: RowSelection
  ): RowSelection = {
    val canSelect = output.canSelect
    val outputSize = output.size
    val kept =
      if (outputSize < leastSaving) candidates
      else {
        evaluators.foreach(_.startRowGroup(index))
        requestPredicates(index, candidates)
        val byCost = evaluators
          .filter(evaluator => outputSize - evaluator.size >= leastSaving)
          .map(evaluator => evaluator -> evaluator.size.toDouble / math.max(1L, outputSize))
          .sortBy { case (evaluator, cost) => cost / (1 - evaluator.expectedShare) }
        byCost.foldLeft(candidates) { case (rows, (evaluator, cost)) =>
          // If `output` cannot decode a selection, evaluation pays only if it drops all rows.
          val enough = if (canSelect) (1 - cost) / 2 else 1.0 / rowGroup.getRowCount
          evaluator.select(rows, enough)
        }
      }
    metrics.rowsDropped += candidates.size - kept.size
    if (kept.isEmpty) {
      metrics.rowGroupsSkippedByLateMaterialization += 1
      kept
    } else if (canSelect) {
      kept
    } else {
      RowSelection.all(rowGroup.getRowCount)
    }
  }

  override def close(): Unit = evaluators.foreach(_.close())
}

private object ResultRows {

  /**
   * The number of bytes up to which all that a row group may need is requested before its dictionary
   * pages are read, which may show that it needs nothing.
   */
  private final val MaxBeforeDictionaries = 4L << 20

  /**
   * The number of bytes up to which the columns of the result are requested together with those of
   * the predicates, which may show that few of them are needed. A request to an object store takes
   * about as long as these bytes.
   */
  private final val MaxAtOnce = 8L << 20
}
