package io.github.variantshredded.read.file

import io.github.variantshredded.read.options.ReadMetrics
import io.github.variantshredded.read.pages.{ByteRange, FileBytes, RowSelection}
import io.github.variantshredded.read.skip.{FileSkipping, RowGroupSkipping}
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Finds the rows of a row group that data skipping leaves: first by statistics, page indexes and
 * bloom filters, then by dictionary pages. It counts in `metrics` what is skipped.
 *
 * @param conjuncts
 *   the predicates for which data skipping is possible in this file
 * @param file
 *   the bytes of the file
 */
private[file] final class DataSkipping(
    conjuncts: Seq[FileSkipping],
    file: FileBytes,
    codecs: CompressionCodecFactory,
    metrics: ReadMetrics
) {
  import DataSkipping._

  /** The number of consecutive row groups that dictionary pages did not exclude. */
  private var dictionaryMisses = 0

  /**
   * Returns whether the dictionary pages of the last row group excluded it, or none was checked
   * yet.
   */
  def mayDictionariesExclude: Boolean = dictionaryMisses == 0

  /**
   * Selects rows by statistics, page indexes and bloom filters.
   *
   * @param liveRows
   *   the rows that the table still has; not asked for if statistics skip the row group
   */
  def byIndexes(index: Int, rowGroup: BlockMetaData, liveRows: => RowSelection): Candidates = {
    val ofRowGroup = conjuncts.map(_.rowGroup(rowGroup))
    if (ofRowGroup.forall(_.byStatistics())) {
      val all = liveRows
      if (conjuncts.isEmpty || all.isEmpty) Candidates(index, all, Nil)
      else Candidates(index, byIndexes(ofRowGroup, all), ofRowGroup)
    } else {
      metrics.rowGroupsSkippedByStatistics += 1
      Candidates(index, RowSelection.empty, ofRowGroup)
    }
  }

  private def byIndexes(ofRowGroup: Seq[RowGroupSkipping], all: RowSelection): RowSelection = {
    val rows = ofRowGroup.foldLeft(all) { (rows, conjunct) =>
      if (rows.isEmpty) rows else rows.intersect(conjunct.rows(file))
    }
    metrics.rowsSkippedByPages += all.size - rows.size
    if (rows.isEmpty) {
      metrics.rowGroupsSkippedByPages += 1
      rows
    } else {
      file.request(ofRowGroup.flatMap(_.bloomFilters))
      if (ofRowGroup.forall(_.byBloomFilters(file))) rows
      else {
        metrics.rowGroupsSkippedByBloomFilters += 1
        RowSelection.empty
      }
    }
  }

  /** Returns where the dictionary pages are that [[byDictionaries]] may read. */
  def dictionaries(found: Candidates): Seq[ByteRange] =
    if (mayReadDictionaries) found.skipping.flatMap(_.dictionaries).filter(file.has) else Nil

  /** Returns the rows that are left of those that the indexes have left. */
  def byDictionaries(found: Candidates): RowSelection =
    if (!found.rows.isEmpty && found.skipping.nonEmpty && isInNoDictionary(found.skipping)) {
      metrics.rowGroupsSkippedByDictionaries += 1
      RowSelection.empty
    } else {
      found.rows
    }

  /**
   * Returns true if dictionary pages exclude the row group. Decoding the chunks reads the
   * dictionary pages again, so they are checked only as long as this skips row groups.
   */
  private def isInNoDictionary(ofRowGroup: Seq[RowGroupSkipping]): Boolean =
    mayReadDictionaries && {
      val isSkipped = !ofRowGroup.forall(_.byDictionaries(file, codecs))
      dictionaryMisses = if (isSkipped) 0 else dictionaryMisses + 1
      isSkipped
    }

  private def mayReadDictionaries: Boolean = dictionaryMisses < MaxDictionaryMisses
}

private[file] object DataSkipping {
  private final val MaxDictionaryMisses = 2

  /**
   * Holds what the indexes of a row group have left.
   *
   * @param rows
   *   the rows that may be in the result
   * @param skipping
   *   data skipping in the row group, for the check of dictionary pages
   */
  final case class Candidates(index: Int, rows: RowSelection, skipping: Seq[RowGroupSkipping])
}
