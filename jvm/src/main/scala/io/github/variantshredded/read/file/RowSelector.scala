package io.github.variantshredded.read.file

import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.read.pages.{FileBytes, RowSelection}
import io.github.variantshredded.read.skip.{RowGroupFilter, RowGroupVerdict}
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Chooses the rows of a row group that are decoded for the result: leaves out those that certainly
 * do not meet the query's conditions.
 *
 * First by what the file tells of its values, then, where that pays, by evaluating the conditions:
 * the cheapest and most selective first, each for the rows that those before it left.
 *
 * @param skipping
 *   what the file tells of each condition, as far as that is something
 * @param filters
 *   the conditions that look at less than `output` decodes
 * @param leastSaving
 *   compressed bytes, of columns that a condition does not look at, from which on it is evaluated
 *   before they are decoded
 * @param file
 *   the bytes of the file
 */
private[read] final class RowSelector(
    skipping: Seq[RowGroupFilter],
    filters: Seq[RowFilter],
    output: BatchDecoder,
    leastSaving: Long,
    file: FileBytes,
    codecs: CompressionCodecFactory,
    metrics: ReadMetrics
) extends AutoCloseable {
  import RowSelector._

  /** Row groups, one after the other, that dictionaries did not rule out. */
  private var dictionaryMisses = 0

  /** The rows of a row group, which `output` has gone on to, that may be in the result. */
  def select(index: Int, rowGroup: BlockMetaData): RowSelection = {
    val all = RowSelection.all(rowGroup.getRowCount)
    val candidates = if (skipping.isEmpty) all else byFile(rowGroup, all)
    if (candidates.isEmpty || (filters.isEmpty && candidates.size == all.size)) candidates
    else byConditions(index, rowGroup, candidates)
  }

  private def byFile(rowGroup: BlockMetaData, all: RowSelection): RowSelection = {
    val verdicts = skipping.map(_.rowGroup(rowGroup))
    def skippedBy(mayMatch: RowGroupVerdict => Boolean): Boolean = !verdicts.forall(mayMatch)
    if (skippedBy(_.byStatistics())) {
      metrics.rowGroupsSkippedByStatistics += 1
      RowSelection.empty
    } else {
      val rows = verdicts.foldLeft(all) { (rows, verdict) =>
        if (rows.isEmpty) rows else rows.intersect(verdict.rows(file))
      }
      metrics.rowsSkippedByPages += all.size - rows.size
      if (rows.isEmpty) {
        metrics.rowGroupsSkippedByPages += 1
        rows
      } else if (skippedBy(_.byBloomFilters(file))) {
        metrics.rowGroupsSkippedByBloomFilters += 1
        RowSelection.empty
      } else if (isInNoDictionary(verdicts)) {
        metrics.rowGroupsSkippedByDictionaries += 1
        RowSelection.empty
      } else {
        rows
      }
    }
  }

  /** Reads dictionaries, which will be read once more, only while that proves to be of use. */
  private def isInNoDictionary(verdicts: Seq[RowGroupVerdict]): Boolean =
    dictionaryMisses < MaxDictionaryMisses && {
      val isSkipped = !verdicts.forall(_.byDictionaries(file, codecs))
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
        filters.foreach(_.startRowGroup(index))
        val byCost = filters
          .filter(filter => outputSize - filter.size >= leastSaving)
          .map(filter => filter -> filter.size.toDouble / math.max(1L, outputSize))
          .sortBy { case (filter, cost) => cost / (1 - filter.expectedShare) }
        byCost.foldLeft(candidates) { case (rows, (filter, cost)) =>
          // Where the output cannot be selected, dropping all rows is what counts.
          val enough = if (canSelect) (1 - cost) / 2 else 1.0 / rowGroup.getRowCount
          filter.select(rows, enough)
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

  override def close(): Unit = filters.foreach(_.close())
}

private object RowSelector {
  private final val MaxDictionaryMisses = 2
}
