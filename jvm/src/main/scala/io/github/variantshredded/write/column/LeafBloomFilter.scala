package io.github.variantshredded.write.column

import java.util.Arrays

import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.column.values.bloomfilter.{
  AdaptiveBlockSplitBloomFilter,
  BlockSplitBloomFilter,
  BloomFilter
}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/**
 * Collects the values of a column chunk into a bloom filter.
 *
 * If the size of the filter depends on the number of distinct values, their hashes are kept until
 * the chunk ends, or until they would take eight times the bytes of the largest filter.
 *
 * @param sized
 *   a filter that takes the values at once; null if the number of distinct values decides the size
 * @param maxBytes
 *   bytes of the largest filter
 * @param fpp
 *   probability of a false positive
 */
private[write] final class LeafBloomFilter private (
    sized: BloomFilter,
    maxBytes: Int,
    fpp: Double
) {
  private val hashing = if (sized == null) new BlockSplitBloomFilter(0) else sized
  private var filter = sized
  private var hashes = if (sized == null) new Array[Long](64) else Array.emptyLongArray
  private var count = 0

  def insert(value: Int): Unit = insertHash(hashing.hash(value))

  def insert(value: Long): Unit = insertHash(hashing.hash(value))

  def insert(value: Float): Unit = insertHash(hashing.hash(value))

  def insert(value: Double): Unit = insertHash(hashing.hash(value))

  def insert(value: Binary): Unit = insertHash(hashing.hash(value))

  private def insertHash(hash: Long): Unit = {
    if (filter == null && count == hashes.length) makeRoom()
    if (filter != null) filter.insertHash(hash)
    else {
      hashes(count) = hash
      count += 1
    }
  }

  private def makeRoom(): Unit = {
    dropDuplicates()
    if (count > hashes.length / 2) {
      if (hashes.length >= maxBytes) build(maxBytes)
      else hashes = Arrays.copyOf(hashes, hashes.length * 2)
    }
  }

  private def dropDuplicates(): Unit = if (count > 0) {
    Arrays.sort(hashes, 0, count)
    var kept = 1
    var i = 1
    while (i < count) {
      if (hashes(i) != hashes(kept - 1)) {
        hashes(kept) = hashes(i)
        kept += 1
      }
      i += 1
    }
    count = kept
  }

  private def build(bytes: Int): Unit = {
    filter = new BlockSplitBloomFilter(bytes, maxBytes)
    var i = 0
    while (i < count) {
      filter.insertHash(hashes(i))
      i += 1
    }
    hashes = Array.emptyLongArray
    count = 0
  }

  /** Returns the filter; no value may be inserted after this call. */
  def result(): BloomFilter = {
    if (filter == null) {
      dropDuplicates()
      build(BlockSplitBloomFilter.optimalNumOfBits(math.max(count, 1).toLong, fpp) / 8)
    }
    filter
  }
}

private[write] object LeafBloomFilter {

  /**
   * Returns an empty filter for `column`, or null if it gets none.
   *
   * @param isChosen
   *   whether the column gets a filter whatever the properties say; the size of the filter then
   *   depends on the number of distinct values, unless the properties set that number
   */
  def apply(
      column: ColumnDescriptor,
      props: ParquetProperties,
      isChosen: Boolean
  ): LeafBloomFilter =
    if (!isChosen && !props.isBloomFilterEnabled(column)) null
    // Parquet adds no Booleans to a filter, and an empty filter would exclude all of them.
    else if (column.getPrimitiveType.getPrimitiveTypeName == PrimitiveTypeName.BOOLEAN) null
    else {
      val maxBytes = props.getMaxBloomFilterBytes
      val fpp =
        props.getBloomFilterFPP(column).orElse(ParquetProperties.DEFAULT_BLOOM_FILTER_FPP)
      val distinct = props.getBloomFilterNDV(column)
      val sized =
        if (distinct.isPresent) {
          val bits = BlockSplitBloomFilter.optimalNumOfBits(distinct.getAsLong, fpp)
          new BlockSplitBloomFilter(bits / 8, maxBytes)
        } else if (isChosen) null
        else if (props.getAdaptiveBloomFilterEnabled(column)) {
          val candidates = props.getBloomFilterCandidatesCount(column)
          new AdaptiveBlockSplitBloomFilter(maxBytes, candidates, fpp, column)
        } else new BlockSplitBloomFilter(maxBytes, maxBytes)
      new LeafBloomFilter(sized, maxBytes, fpp)
    }
}
