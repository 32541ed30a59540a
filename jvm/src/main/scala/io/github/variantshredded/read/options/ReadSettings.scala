package io.github.variantshredded.read.options

import scala.jdk.CollectionConverters._

import io.github.variantshredded.options.Format
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Holds the settings of a read that a task needs. The driver resolves them from options and
 * session.
 *
 * @param strict
 *   whether every violation of the shredding specification is refused (`validation=strict`)
 * @param searchesAncestors
 *   whether a shredded field is also searched in the residual values of the objects and arrays
 *   around it, where the specification does not allow it: in `validation=permissive`, but not for a
 *   relation of another source, because Spark's reader does not search there either
 * @param maxDepth
 *   maximum nesting depth of a Variant value
 * @param ignoreCorruptFiles
 *   whether corrupt files are skipped
 * @param ignoreMissingFiles
 *   whether missing files are skipped
 * @param datetimeRebaseMode
 *   `EXCEPTION`, `LEGACY` or `CORRECTED`: how dates and timestamps of old files are rebased
 * @param int96RebaseMode
 *   the same setting for INT96 timestamps
 * @param batchSize
 *   maximum number of rows in a column batch
 * @param offHeap
 *   whether vectors are allocated off the heap
 * @param int96Conversion
 *   whether INT96 timestamps of other writers are adjusted to `sessionTimeZone`
 * @param sessionTimeZone
 *   time zone of the session
 * @param caseSensitive
 *   whether column names are compared case-sensitively
 * @param conditionsFirst
 *   minimum of compressed bytes that the other columns must have in a row group for late
 *   materialization
 */
final case class ReadSettings(
    strict: Boolean,
    searchesAncestors: Boolean,
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

object ReadSettings {

  /**
   * Resolves the options of a read and the settings of the session.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if the value of an option is invalid
   */
  def apply(options: CaseInsensitiveStringMap, conf: SQLConf): ReadSettings = {
    ReadOptions.check(ReadOptions.reading, options)
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    val files = new FileSourceOptions(parameters)
    val parquet = new ParquetOptions(parameters, conf)
    val strict = ReadOptions.Validation.of(options) == ReadOptions.Strict
    ReadSettings(
      strict = strict,
      searchesAncestors = !strict && !options.containsKey(Format.TakenOverFrom),
      maxDepth = ReadOptions.MaxDepth.of(options),
      ignoreCorruptFiles = files.ignoreCorruptFiles,
      ignoreMissingFiles = files.ignoreMissingFiles,
      datetimeRebaseMode = ReadOptions.DatetimeRebaseMode
        .get(options)
        .getOrElse(parquet.datetimeRebaseModeInRead),
      int96RebaseMode = ReadOptions.Int96RebaseMode
        .get(options)
        .getOrElse(parquet.int96RebaseModeInRead),
      batchSize = conf.parquetVectorizedReaderBatchSize,
      offHeap = conf.offHeapColumnVectorEnabled,
      int96Conversion = conf.isParquetINT96TimestampConversion,
      sessionTimeZone = conf.sessionLocalTimeZone,
      caseSensitive = conf.caseSensitiveAnalysis,
      conditionsFirst = ReadOptions.setting(ReadOptions.ConditionsFirst, conf)
    )
  }
}
