package io.github.variantshredded.read.file

import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.read.pages.{FileBytes, RowSelection}
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
 * @param file
 *   the bytes of the file
 */
private[read] final class RowSelector(
    skipping: Seq[FileSkipping],
    evaluators: Seq[ConjunctEvaluator],
    output: BatchDecoder,
    leastSaving: Long,
    file: FileBytes,
    codecs: CompressionCodecFactory,
    metrics: ReadMetrics
) extends AutoCloseable {
  import RowSelector._

  /** The number of consecutive row groups that dictionary pages did not exclude. */
  private var dictionaryMisses = 0

  /**
   * Returns the rows of a row group that may be in the result. `output` must have moved to the row
   * group.
   *
   * @param live
   *   the rows that the table still has
   */
  def select(index: Int, rowGroup: BlockMetaData, live: RowSelection): RowSelection = {
    val candidates = if (skipping.isEmpty || live.isEmpty) live else byFile(rowGroup, live)
    val isAll = candidates.size == rowGroup.getRowCount
    if (candidates.isEmpty || (evaluators.isEmpty && isAll)) candidates
    else byConditions(index, rowGroup, candidates)
  }

  private def byFile(rowGroup: BlockMetaData, all: RowSelection): RowSelection = {
    val ofRowGroup = skipping.map(_.rowGroup(rowGroup))
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
      } else if (isInNoDictionary(ofRowGroup)) {
        metrics.rowGroupsSkippedByDictionaries += 1
        RowSelection.empty
      } else {
        rows
      }
    }
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
}
