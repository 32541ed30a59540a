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
 * The bloom filter of a column chunk.
 *
 * One that has no size yet keeps the hashes until the chunk ends or they would take eight times the
 * bytes of the largest filter.
 *
 * @param sized
 *   takes the values at once; null for one whose size the number of distinct values decides
 * @param maxBytes
 *   of the largest filter
 * @param fpp
 *   probability that a value is found that is not there
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

  /** The filter; nothing is inserted after this. */
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
   * An empty filter of the size that the properties give, or null.
   *
   * @param isChosen
   *   whether the column gets one whatever the properties say; it then has the size that its number
   *   of distinct values demands
   */
  def apply(
      column: ColumnDescriptor,
      props: ParquetProperties,
      isChosen: Boolean
  ): LeafBloomFilter =
    if (!isChosen && !props.isBloomFilterEnabled(column)) null
    // Parquet puts no booleans into a filter, and one that is empty would deny all of them.
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
