package io.github.variantshredded.read.file

import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.read.pages.{ByteRange, FileBytes, RowGroups, RowSelection}
import io.github.variantshredded.read.skip.{FileSkipping, RowGroupSkipping}
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Selects the rows of a row group that are decoded for the result. It leaves out only rows that
 * certainly do not meet the predicates of the query.
 *
 * First comes data skipping. Then, where it pays, late materialization: predicates are evaluated in
 * the order of their cost and selectivity, each on the rows that the predicates before it kept.
 *
 * @param skipping
 *   the predicates for which data skipping is possible in this file
 * @param evaluators
 *   the predicates that need fewer columns than `output` decodes
 * @param leastSaving
 *   the minimum of compressed bytes, in columns that a predicate does not need, for which the
 *   predicate is evaluated first
 * @param rowGroups
 *   the row groups, whose bytes are requested ahead of the reads
 * @param file
 *   the bytes of the file
 */
private[read] final class RowSelector(
    skipping: Seq[FileSkipping],
    evaluators: Seq[ConjunctEvaluator],
    output: BatchDecoder,
    leastSaving: Long,
    rowGroups: RowGroups,
    file: FileBytes,
    codecs: CompressionCodecFactory,
    metrics: ReadMetrics
) extends AutoCloseable {
  import RowSelector._

  /** The number of consecutive row groups that dictionary pages did not exclude. */
  private var dictionaryMisses = 0

  /** What the indexes of a row group have left, if it has been prepared. */
  private var prepared = Option.empty[Candidates]

  /**
   * Requests the bytes of a row group that will be read, if the file is remote, while another row
   * group is decoded.
   *
   * @param live
   *   the rows that the table still has
   */
  def prepare(index: Int, rowGroup: BlockMetaData, live: RowSelection): Unit = {
    val candidates = byIndexes(index, rowGroup, live)
    prepared = Some(candidates)
    requestBeforeDictionaries(candidates)
  }

  /**
   * Returns the rows of a row group that may be in the result. `output` must have moved to the row
   * group.
   */
  def select(index: Int, rowGroup: BlockMetaData, live: RowSelection): RowSelection = {
    val found = prepared.filter(_.index == index).getOrElse(byIndexes(index, rowGroup, live))
    prepared = None
    requestBeforeDictionaries(found)
    val candidates = byDictionaries(found)
    val isAll = candidates.size == rowGroup.getRowCount
    if (candidates.isEmpty || (evaluators.isEmpty && isAll)) candidates
    else byConditions(index, rowGroup, candidates)
  }

  /** Selects rows by statistics, page indexes and bloom filters. */
  private def byIndexes(index: Int, rowGroup: BlockMetaData, live: RowSelection): Candidates =
    if (skipping.isEmpty || live.isEmpty) Candidates(index, live, Nil)
    else {
      val ofRowGroup = skipping.map(_.rowGroup(rowGroup))
      Candidates(index, byIndexes(ofRowGroup, live), ofRowGroup)
    }

  private def byIndexes(ofRowGroup: Seq[RowGroupSkipping], all: RowSelection): RowSelection = {
    def skippedBy(mayMatch: RowGroupSkipping => Boolean): Boolean = !ofRowGroup.forall(mayMatch)
    if (skippedBy(_.byStatistics())) {
      metrics.rowGroupsSkippedByStatistics += 1
      RowSelection.empty
    } else {
      val rows = ofRowGroup.foldLeft(all) { (rows, conjunct) =>
        if (rows.isEmpty) rows else rows.intersect(conjunct.rows(file))
      }
      metrics.rowsSkippedByPages += all.size - rows.size
      if (rows.isEmpty) {
        metrics.rowGroupsSkippedByPages += 1
        rows
      } else if (skippedBy(_.byBloomFilters(file))) {
        metrics.rowGroupsSkippedByBloomFilters += 1
        RowSelection.empty
      } else {
        rows
      }
    }
  }

  private def byDictionaries(found: Candidates): RowSelection =
    if (!found.rows.isEmpty && found.skipping.nonEmpty && isInNoDictionary(found.skipping)) {
      metrics.rowGroupsSkippedByDictionaries += 1
      RowSelection.empty
    } else {
      found.rows
    }

  /**
   * Requests all that may be read of a row group, or else what the predicates need. Dictionary pages,
   * which are part of it, may show that nothing is needed, so these are few bytes until one row group
   * was not excluded.
   */
  private def requestBeforeDictionaries(found: Candidates): Unit =
    if (rowGroups.isRemote && !found.rows.isEmpty) {
      val most = if (dictionaryMisses > 0) MostAtOnce else MostBeforeDictionaries
      if (!requestAll(found, most)) request(conditionsOf(found), most): Unit
    }

  private def requestAll(found: Candidates, most: Long): Boolean =
    request(output.ranges(found.index, found.rows) ++ conditionsOf(found), most)

  private def conditionsOf(found: Candidates): Seq[ByteRange] =
    evaluators.flatMap(_.ranges(found.index, found.rows))

  /** Requests ranges unless they have more bytes than `most`. Returns whether it did. */
  private def request(ranges: Seq[ByteRange], most: Long): Boolean = {
    val isLittle = ByteRange.merged(ranges).map(_.size).sum <= most
    if (isLittle) rowGroups.request(ranges)
    isLittle
  }

  /**
   * Returns true if dictionary pages exclude the row group. Decoding the chunks reads the
   * dictionary pages again, so they are checked only as long as this skips row groups.
   */
  private def isInNoDictionary(ofRowGroup: Seq[RowGroupSkipping]): Boolean =
    dictionaryMisses < MaxDictionaryMisses && {
      val isSkipped = !ofRowGroup.forall(_.byDictionaries(file, codecs))
      dictionaryMisses = if (isSkipped) 0 else dictionaryMisses + 1
      isSkipped
    }

  /**
   * Requests what the predicates need, and what the result needs too if both together are few bytes
   * for a request.
   */
  private def requestConditions(index: Int, candidates: RowSelection): Unit =
    if (rowGroups.isRemote) {
      val found = Candidates(index, candidates, Nil)
      if (!requestAll(found, MostAtOnce)) rowGroups.request(conditionsOf(found))
    }

  private def byConditions(
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
        requestConditions(index, candidates)
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
      metrics.rowGroupsSkippedByConditions += 1
      kept
    } else if (canSelect) {
      kept
    } else {
      RowSelection.all(rowGroup.getRowCount)
    }
  }

  override def close(): Unit = evaluators.foreach(_.close())
}

private object RowSelector {
  private final val MaxDictionaryMisses = 2

  /**
   * The number of bytes up to which all that a row group may need is requested before its dictionary
   * pages are read, which may show that it needs nothing.
   */
  private final val MostBeforeDictionaries = 2L << 20

  /**
   * The number of bytes up to which the columns of the result are requested together with those of
   * the predicates, which may show that few of them are needed. A request to an object store takes
   * about as long as these bytes.
   */
  private final val MostAtOnce = 8L << 20

  /**
   * What the indexes of a row group have left.
   *
   * @param rows
   *   the rows that may be in the result
   * @param skipping
   *   data skipping in the row group, for what follows
   */
  private final case class Candidates(
      index: Int,
      rows: RowSelection,
      skipping: Seq[RowGroupSkipping]
  )
}
