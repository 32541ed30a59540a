package io.github.variantshredded.read.options

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.Format
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Holds the settings of a read that a task needs. The driver resolves them from options and
 * session.
 *
 * @param variants
 *   the rules for Variants
 * @param tolerated
 *   the files that are skipped instead of refused
 * @param datetimes
 *   how dates and timestamps of old files are converted
 * @param vectors
 *   how vectors are allocated
 * @param caseSensitive
 *   whether column names are compared case-sensitively
 * @param lateMaterializationMinBytes
 *   minimum of compressed bytes that the other columns must have in a row group for late
 *   materialization
 * @param verifiesChecksums
 *   whether the checksums of pages are verified, whatever the Hadoop configuration says
 */
final case class ReadSettings(
    variants: VariantRules,
    tolerated: ToleratedFiles,
    datetimes: DatetimeSettings,
    vectors: VectorSettings,
    caseSensitive: Boolean,
    lateMaterializationMinBytes: Int,
    verifiesChecksums: Boolean = true
)

object ReadSettings {

  /**
   * Resolves the options of a read and the settings of the session.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if the value of an option, or of a setting, is invalid
   */
  def apply(options: CaseInsensitiveStringMap, conf: SQLConf): ReadSettings = {
    ReadOptions.check(ReadOptions.reading, options)
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    val files = new FileSourceOptions(parameters)
    val parquet = new ParquetOptions(parameters, conf)
    val strict = ReadOptions.Validation.of(options) == ReadOptions.Strict
    val isTakenOver = options.containsKey(Format.TakenOverFrom)
    ReadSettings(
      VariantRules(
        strict = strict,
        searchesAncestors = !strict && !isTakenOver,
        asSpark = isTakenOver && options.getBoolean(Format.AsSpark, false),
        maxDepth = ReadOptions.MaxDepth.of(options)
      ),
      ToleratedFiles(
        corrupt = files.ignoreCorruptFiles,
        missing = files.ignoreMissingFiles,
        asDataSourceV2 = isTakenOver && options.getBoolean(Format.AsDataSourceV2, false)
      ),
      DatetimeSettings(
        rebaseMode = ReadOptions.DatetimeRebaseMode
          .get(options)
          .getOrElse(LegacyBehaviorPolicy.withName(parquet.datetimeRebaseModeInRead)),
        int96RebaseMode = ReadOptions.Int96RebaseMode
          .get(options)
          .getOrElse(LegacyBehaviorPolicy.withName(parquet.int96RebaseModeInRead)),
        int96TimeZone =
          Option.when(conf.isParquetINT96TimestampConversion)(conf.sessionLocalTimeZone)
      ),
      VectorSettings(
        rows = batchRows(conf),
        offHeap = conf.offHeapColumnVectorEnabled
      ),
      caseSensitive = conf.caseSensitiveAnalysis,
      lateMaterializationMinBytes =
        ReadOptions.setting(ReadOptions.LateMaterializationMinBytes, conf),
      verifiesChecksums = !isTakenOver
    )
  }

  private def batchRows(conf: SQLConf): Int = {
    val rows = conf.parquetVectorizedReaderBatchSize
    if (rows < 1) {
      val name = SQLConf.PARQUET_VECTORIZED_READER_BATCH_SIZE.key
      throw VariantShreddedErrors.invalidOption(name, rows.toString, "a number of at least 1")
    }
    rows
  }
}
