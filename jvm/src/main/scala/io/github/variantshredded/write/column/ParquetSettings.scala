package io.github.variantshredded.write.column

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.ParquetProperties._
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter.LOWER_BOUND_BYTES
import org.apache.parquet.hadoop.ParquetOutputFormat._
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.codec.ZstandardCodec._
import org.apache.parquet.hadoop.metadata.CompressionCodecName.ZSTD

/**
 * Holds the settings of a Parquet file in the configuration, by the names of parquet-java's output
 * format.
 *
 * @param rowGroupSize
 *   bytes at which a row group ends
 * @param maxPadding
 *   most unused bytes at the end of a file system's block
 * @param validates
 *   whether the record consumer of ordinary columns checks its calls
 * @param memoryRatio
 *   part of the heap that all writers share
 * @param minRowGroupSize
 *   bytes below which a lack of memory does not reduce a row group
 */
private[write] final case class ParquetSettings(
    properties: ParquetProperties,
    rowGroupSize: Long,
    maxPadding: Int,
    validates: Boolean,
    memoryRatio: Float,
    minRowGroupSize: Long
)

private[write] object ParquetSettings {

  // parquet-java's own defaults, which are not accessible.
  private final val MemoryRatio = 0.95f
  private final val MinRowGroupSize = 1L << 20

  // parquet-java's ParquetProperties.MIN_SLAB_SIZE, which is private.
  private final val MinPageSize = 64

  // parquet-java's default is 20,000. Pages of 5,000 rows take 0.3 % more bytes, and a query of a few
  // scattered rows takes 0.7 times as much CPU time.
  private final val PageRows = 5000

  // The parquet-java of Spark 4.1 has no constant for this setting.
  private final val ByteStreamSplit = "parquet.enable.bytestreamsplit"

  def apply(conf: Configuration): ParquetSettings = ParquetSettings(
    properties(conf),
    getLongBlockSize(conf),
    conf.getInt(MAX_PADDING_BYTES, ParquetWriter.MAX_PADDING_SIZE_DEFAULT),
    getValidation(conf),
    conf.getFloat(MEMORY_POOL_RATIO, MemoryRatio),
    conf.getLong(MIN_MEMORY_ALLOCATION, MinRowGroupSize)
  )

  /**
   * Checks the settings on the driver, before tasks use them.
   *
   * @param options
   *   the options of the write, which `conf` has too
   * @param codec
   *   name of the compression codec, as parquet-java spells it
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION`, if parquet-java refuses a value
   */
  def check(options: Map[String, String], conf: Configuration, codec: String): Unit =
    refusal(conf, codec).foreach { reason =>
      def isRefused(name: String, value: String) = {
        val alone = new Configuration(false)
        alone.set(name, value)
        refusal(alone, codec).isDefined
      }
      val refused = options.toSeq.sorted.find { case (name, value) =>
        name.startsWith("parquet.") && value != null && isRefused(name, value)
      }
      // Otherwise the setting is one of the session's Hadoop configuration.
      val (name, value) = refused.getOrElse("parquet.*" -> "that of the session")
      val expected = s"a value that Parquet takes: $reason"
      throw VariantShreddedErrors.invalidOption(name, value, expected)
    }

  private val OfZstd = Seq(PARQUET_COMPRESS_ZSTD_LEVEL, PARQUET_COMPRESS_ZSTD_WORKERS)

  /** Returns why parquet-java refuses the settings; None if it takes them. */
  private def refusal(conf: Configuration, codec: String): Option[String] =
    try {
      apply(conf)
      // parquet-java reads these when it compresses the first page.
      if (codec == ZSTD.name) OfZstd.foreach(conf.getInt(_, 0))
      // parquet-java refuses smaller pages only where it makes the buffer of a column.
      Seq(
        (PAGE_SIZE, getPageSize(conf).toLong, MinPageSize),
        (DICTIONARY_PAGE_SIZE, getDictionaryPageSize(conf).toLong, MinPageSize),
        (BLOCK_SIZE, getLongBlockSize(conf), 1),
        (BLOOM_FILTER_MAX_BYTES, getBloomFilterMaxBytes(conf).toLong, LOWER_BOUND_BYTES)
      ).collectFirst {
        case (name, bytes, least) if bytes < least => s"$name has to be at least $least bytes"
      }
    } catch { case e: IllegalArgumentException => Some(String.valueOf(e.getMessage)) }

  private def properties(conf: Configuration): ParquetProperties = {
    val builder = ParquetProperties.builder()
    builder
      .withWriterVersion(getWriterVersion(conf))
      .withPageSize(getPageSize(conf))
      .withPageRowCountLimit(conf.getInt(PAGE_ROW_COUNT_LIMIT, PageRows))
      .withPageValueCountThreshold(getValueCountThreshold(conf))
      .withMinRowCountForPageSizeCheck(getMinRowCountForPageSizeCheck(conf))
      .withMaxRowCountForPageSizeCheck(getMaxRowCountForPageSizeCheck(conf))
      .estimateRowCountForPageSizeCheck(getEstimatePageSizeCheck(conf))
      .withPageWriteChecksumEnabled(getPageWriteChecksumEnabled(conf))
      .withRowGroupRowCountLimit(
        conf.getInt(BLOCK_ROW_COUNT_LIMIT, DEFAULT_ROW_GROUP_ROW_COUNT_LIMIT)
      )
      .withDictionaryEncoding(getEnableDictionary(conf))
      .withDictionaryPageSize(getDictionaryPageSize(conf))
      .withByteStreamSplitEncoding(
        conf.getBoolean(ByteStreamSplit, DEFAULT_IS_BYTE_STREAM_SPLIT_ENABLED)
      )
      .withStatisticsEnabled(getStatisticsEnabled(conf))
      .withSizeStatisticsEnabled(getSizeStatisticsEnabled(conf))
      .withColumnIndexTruncateLength(
        conf.getInt(COLUMN_INDEX_TRUNCATE_LENGTH, DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH)
      )
      .withStatisticsTruncateLength(
        conf.getInt(STATISTICS_TRUNCATE_LENGTH, DEFAULT_STATISTICS_TRUNCATE_LENGTH)
      )
      .withBloomFilterEnabled(getBloomFilterEnabled(conf))
      .withMaxBloomFilterBytes(getBloomFilterMaxBytes(conf))
      .withAdaptiveBloomFilterEnabled(getAdaptiveBloomFilterEnabled(conf))
    ofColumns(conf).foreach { case (key, name, column) =>
      name match {
        case ENABLE_DICTIONARY =>
          builder.withDictionaryEncoding(column, conf.getBoolean(key, false))
        case BLOOM_FILTER_ENABLED =>
          builder.withBloomFilterEnabled(column, conf.getBoolean(key, false))
        case BLOOM_FILTER_EXPECTED_NDV => builder.withBloomFilterNDV(column, conf.getLong(key, -1L))
        case BLOOM_FILTER_FPP          =>
          builder.withBloomFilterFPP(column, conf.getDouble(key, DEFAULT_BLOOM_FILTER_FPP))
        case BLOOM_FILTER_CANDIDATES_NUMBER =>
          builder.withBloomFilterCandidatesNumber(
            column,
            conf.getInt(key, DEFAULT_BLOOM_FILTER_CANDIDATES_NUMBER)
          )
        case STATISTICS_ENABLED =>
          builder.withStatisticsEnabled(column, conf.getBoolean(key, DEFAULT_STATISTICS_ENABLED))
        case SIZE_STATISTICS_ENABLED =>
          builder.withSizeStatisticsEnabled(
            column,
            conf.getBoolean(key, DEFAULT_SIZE_STATISTICS_ENABLED)
          )
        case _ => builder
      }
    }
    builder.build()
  }

  // The settings of one column end with its path: `parquet.enable.dictionary#v.value`.
  private def ofColumns(conf: Configuration): Seq[(String, String, String)] =
    conf.iterator.asScala
      .map(_.getKey)
      .filter(key => key.startsWith("parquet.") && key.contains('#'))
      .map { key =>
        val at = key.indexOf('#')
        (key, key.substring(0, at), key.substring(at + 1))
      }
      .toSeq
}
