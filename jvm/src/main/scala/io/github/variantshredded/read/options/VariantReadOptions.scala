package io.github.variantshredded.read.options

import scala.jdk.CollectionConverters._

import io.github.variantshredded.variant.VariantConstants
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * What a task needs to know about how to read; resolved on the driver from options and session.
 *
 * @param strict
 *   refuse every violation of the shredding spec that is met (`validation=strict`)
 * @param maxDepth
 *   deepest nesting of a Variant value
 * @param datetimeRebaseMode
 *   `EXCEPTION`, `LEGACY` or `CORRECTED`, for dates and timestamps of old files
 * @param int96RebaseMode
 *   the like for INT96
 * @param batchSize
 *   rows in a column batch
 * @param offHeap
 *   whether vectors are allocated off the heap
 * @param int96Conversion
 *   whether INT96 timestamps of other writers are adjusted to the session's time zone
 * @param sessionTimeZone
 *   that time zone
 * @param caseSensitive
 *   whether column names are compared with regard to case
 * @param conditionsFirst
 *   conditions are evaluated before other columns with at least so many bytes in a row group
 */
final case class VariantReadOptions(
    strict: Boolean,
    maxDepth: Int,
    ignoreCorruptFiles: Boolean,
    ignoreMissingFiles: Boolean,
    datetimeRebaseMode: String,
    int96RebaseMode: String,
    batchSize: Int,
    offHeap: Boolean,
    int96Conversion: Boolean,
    sessionTimeZone: String,
    caseSensitive: Boolean,
    conditionsFirst: Int
)

object VariantReadOptions {

  /**
   * Resolves `options` against `conf`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` for a value that an option cannot have
   */
  def apply(options: CaseInsensitiveStringMap, conf: SQLConf): VariantReadOptions = {
    VariantShreddedOptions.check(VariantShreddedOptions.reading, options)
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    val files = new FileSourceOptions(parameters)
    val parquet = new ParquetOptions(parameters, conf)
    VariantReadOptions(
      strict = VariantShreddedOptions.Validation.get(options).forall(_ == "strict"),
      maxDepth =
        VariantShreddedOptions.MaxDepth.get(options).getOrElse(VariantConstants.DefaultMaxDepth),
      ignoreCorruptFiles = files.ignoreCorruptFiles,
      ignoreMissingFiles = files.ignoreMissingFiles,
      datetimeRebaseMode = VariantShreddedOptions.DatetimeRebaseMode
        .get(options)
        .getOrElse(parquet.datetimeRebaseModeInRead),
      int96RebaseMode = VariantShreddedOptions.Int96RebaseMode
        .get(options)
        .getOrElse(parquet.int96RebaseModeInRead),
      batchSize = conf.parquetVectorizedReaderBatchSize,
      offHeap = conf.offHeapColumnVectorEnabled,
      int96Conversion = conf.isParquetINT96TimestampConversion,
      sessionTimeZone = conf.sessionLocalTimeZone,
      caseSensitive = conf.caseSensitiveAnalysis,
      conditionsFirst = VariantShreddedOptions.setting(VariantShreddedOptions.ConditionsFirst, conf)
    )
  }
}
