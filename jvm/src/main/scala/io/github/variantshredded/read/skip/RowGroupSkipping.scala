package io.github.variantshredded.read.skip

import java.util.{IdentityHashMap => JIdentityHashMap}

import scala.collection.mutable

import io.github.variantshredded.read.footer.LeafIndex
import io.github.variantshredded.read.pages.{FileBytes, RowSelection}
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}

/**
 * Skips data in one row group: decides whether rows may meet a condition. Each method uses the
 * results of earlier calls. The methods can be called in any order, and each can be left out.
 */
private[read] final class RowGroupSkipping private[skip] (
    condition: LeafCondition,
    block: BlockMetaData,
    leafIndex: LeafIndex,
    numbers: JIdentityHashMap[LeafTest, Integer]
) {

  /** The tests, by number, that no row passes. */
  private val failed = new Array[Boolean](numbers.size)

  private val ranges = mutable.Map.empty[Seq[String], LeafRange]

  /**
   * Returns whether a row may meet the condition, according to the statistics in the footer. Reads
   * nothing from the file.
   */
  def byStatistics(): Boolean = refine(test => test.mayBeTrue(rangeOf(test.leaf)))

  /** Returns whether a row may meet the condition, according to dictionary pages. */
  def byDictionaries(file: FileBytes, codecs: CompressionCodecFactory): Boolean = {
    val entries = new DictionaryEntries(file, codecs)
    refine {
      case test: LeafTest.Passes if test.looksAtValues =>
        chunk(test.leaf).forall { chunk =>
          entries.exists(chunk)(value => test.mayBeTrue(LeafRange.entry(value)))
        }
      case _ => true
    }
  }

  /** Returns whether a row may meet the condition, according to bloom filters. */
  def byBloomFilters(file: FileBytes): Boolean = {
    val filters = new BloomFilters(file)
    refine {
      case test: LeafTest.Passes =>
        test.storedForms.forall { forms =>
          !leafIndex.hasOwnBloomFilter(test.leaf) || !test.isTotal(rangeOf(test.leaf)) ||
          chunk(test.leaf).forall(filters.mayContain(_, forms))
        }
      case _ => true
    }
  }

  /**
   * Returns the rows that may meet the condition, according to column indexes.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if a page index is impossible
   */
  def rows(file: FileBytes): RowSelection = {
    val pages = mutable.Map.empty[Seq[String], Option[PageRanges]]
    val all = RowSelection.all(block.getRowCount)
    def rowsOf(test: LeafTest): RowSelection = {
      val known = pages.getOrElseUpdate(
        test.leaf,
        chunk(test.leaf).flatMap(PageRanges.read(_, block.getRowCount, file))
      )
      known.fold(all)(_.rows(test))
    }
    def of(condition: LeafCondition): RowSelection = condition match {
      case LeafCondition.Always                           => all
      case LeafCondition.Never                            => RowSelection.empty
      case LeafCondition.Of(test) if failed(number(test)) => RowSelection.empty
      case LeafCondition.Of(test)                         =>
        // If the footer already says that all rows pass, no page can exclude any.
        if (test.isCertain(rangeOf(test.leaf))) all else rowsOf(test)
      case LeafCondition.And(left, right) =>
        val rows = of(left)
        if (rows.isEmpty) rows else rows.intersect(of(right))
      case LeafCondition.Or(left, right) =>
        val rows = of(left)
        if (rows.size == block.getRowCount) rows else rows.union(of(right))
    }
    of(condition)
  }

  private def number(test: LeafTest): Int = numbers.get(test)

  private def refine(mayBeTrue: LeafTest => Boolean): Boolean = {
    def of(condition: LeafCondition): Boolean = condition match {
      case LeafCondition.Always           => true
      case LeafCondition.Never            => false
      case LeafCondition.And(left, right) => of(left) && of(right)
      case LeafCondition.Or(left, right)  => of(left) || of(right)
      case LeafCondition.Of(test)         =>
        !failed(number(test)) && {
          if (!mayBeTrue(test)) failed(number(test)) = true
          !failed(number(test))
        }
    }
    of(condition)
  }

  private def chunk(leaf: Seq[String]): Option[ColumnChunkMetaData] = leafIndex.chunk(block, leaf)

  private def rangeOf(leaf: Seq[String]): LeafRange =
    ranges.getOrElseUpdate(leaf, chunk(leaf).fold(LeafRange.Unknown)(LeafRange.of))
}
