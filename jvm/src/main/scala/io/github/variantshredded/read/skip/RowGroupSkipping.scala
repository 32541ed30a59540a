package io.github.variantshredded.read.skip

import java.util.{IdentityHashMap => JIdentityHashMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.LeafIndex
import io.github.variantshredded.read.pages.{ByteRange, FileBytes, RowSelection}
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}

/**
 * Skips data in one row group: decides whether rows may meet a predicate. Each method uses the
 * results of earlier calls. The methods can be called in any order, and each can be left out.
 */
private[read] final class RowGroupSkipping private[skip] (
    predicate: LeafPredicate,
    block: BlockMetaData,
    leafIndex: LeafIndex,
    numbers: JIdentityHashMap[LeafTest, Integer]
) {

  /** The tests, by number, that no row passes. */
  private val failed = new Array[Boolean](numbers.size)

  /** The tests, by number, for which the statistics in the footer have been looked at. */
  private val checked = new Array[Boolean](numbers.size)

  private val ranges = mutable.Map.empty[Seq[String], LeafRange]

  /**
   * Returns whether a row may meet the predicate, according to the statistics in the footer. Reads
   * nothing from the file.
   */
  def byStatistics(): Boolean = refine(_ => true)

  /** Returns whether a row may meet the predicate, according to dictionary pages. */
  def byDictionaries(file: FileBytes, codecs: CompressionCodecFactory): Boolean = {
    val entries = new DictionaryEntries(file, codecs)
    refine {
      case test: LeafTest.Passes =>
        withValues(test).forall { chunk =>
          entries.exists(chunk)(value => test.mayBeTrue(LeafRange.entry(value)))
        }
      case _ => true
    }
  }

  /** Returns where the dictionary pages are that [[byDictionaries]] may read. */
  def dictionaries: Seq[ByteRange] =
    openTests.flatMap(withValues(_)).flatMap(DictionaryEntries.bytesOf(_))

  /** Returns whether a row may meet the predicate, according to bloom filters. */
  def byBloomFilters(file: FileBytes): Boolean = {
    val filters = new BloomFilters(file)
    refine {
      case test: LeafTest.Passes =>
        withForms(test).forall { case (chunk, forms) => filters.mayContain(chunk, forms) }
      case _ => true
    }
  }

  /** Returns where the bloom filters are that [[byBloomFilters]] may read. */
  def bloomFilters: Seq[ByteRange] =
    openTests.flatMap(withForms(_)).flatMap { case (chunk, _) => BloomFilters.bytesOf(chunk) }

  /**
   * Returns the rows that may meet the predicate, according to column indexes.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if an offset index is impossible
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
    def of(predicate: LeafPredicate): RowSelection = predicate match {
      case LeafPredicate.Always                           => all
      case LeafPredicate.Never                            => RowSelection.empty
      case LeafPredicate.Of(test) if failed(number(test)) => RowSelection.empty
      case LeafPredicate.Of(test)                         =>
        // If the footer already says that all rows pass, no page can exclude any.
        if (test.isCertain(rangeOf(test.leaf))) all else rowsOf(test)
      case LeafPredicate.And(left, right) =>
        val rows = of(left)
        if (rows.isEmpty) rows else rows.intersect(of(right))
      case LeafPredicate.Or(left, right) =>
        val rows = of(left)
        if (rows.size == block.getRowCount) rows else rows.union(of(right))
    }
    of(predicate)
  }

  /** Returns the tests of values that a row may still pass. */
  private def openTests: Seq[LeafTest.Passes] = numbers.keySet.asScala.toSeq.collect {
    case test: LeafTest.Passes if mayPass(test) => test
  }

  /**
   * Returns whether a row may pass the test, according to earlier results and to the statistics in
   * the footer. [[byStatistics]] stops at the first side of an OR that rows may pass, so the second
   * side may be untested.
   */
  private def mayPass(test: LeafTest): Boolean = {
    val i = number(test)
    if (!checked(i)) {
      checked(i) = true
      if (!test.mayBeTrue(rangeOf(test.leaf))) failed(i) = true
    }
    !failed(i)
  }

  /** Returns the chunk whose distinct values decide a test; None if they do not. */
  private def withValues(test: LeafTest.Passes): Option[ColumnChunkMetaData] =
    if (test.looksAtValues) chunk(test.leaf) else None

  /**
   * Returns the chunk whose bloom filter decides a test, and the values to look up in it; None if
   * it does not.
   */
  private def withForms(
      test: LeafTest.Passes
  ): Option[(ColumnChunkMetaData, Seq[StoredLiteral])] = for {
    forms <- test.storedForms
    if leafIndex.hasOwnBloomFilter(test.leaf) && test.isTotal(rangeOf(test.leaf))
    chunk <- chunk(test.leaf)
  } yield (chunk, forms)

  private def number(test: LeafTest): Int = numbers.get(test)

  private def refine(mayBeTrue: LeafTest => Boolean): Boolean = {
    def of(predicate: LeafPredicate): Boolean = predicate match {
      case LeafPredicate.Always           => true
      case LeafPredicate.Never            => false
      case LeafPredicate.And(left, right) => of(left) && of(right)
      case LeafPredicate.Or(left, right)  => of(left) || of(right)
      case LeafPredicate.Of(test)         =>
        mayPass(test) && {
          if (!mayBeTrue(test)) failed(number(test)) = true
          !failed(number(test))
        }
    }
    of(predicate)
  }

  private def chunk(leaf: Seq[String]): Option[ColumnChunkMetaData] = leafIndex.chunk(block, leaf)

  private def rangeOf(leaf: Seq[String]): LeafRange =
    ranges.getOrElseUpdate(leaf, chunk(leaf).fold(LeafRange.Unknown)(LeafRange.of))
}
