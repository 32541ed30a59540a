package io.github.variantshredded.write

import io.github.variantshredded.VariantShreddedErrors
import io.github.variantshredded.shredding.{InferenceLimits, ShreddingSpec}
import io.github.variantshredded.variant.VariantConstants
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * One option of a write.
 *
 * @param name
 *   what a user writes; any case is taken
 * @param default
 *   the default as the documentation shows it
 * @param expected
 *   what the value has to be, for the error
 * @param doc
 *   one or two sentences for the table of options
 */
final class WriteOption[T] private[write] (
    val name: String,
    val default: String,
    val expected: String,
    val doc: String,
    fallback: SQLConf => T,
    parse: String => Option[T]
) {

  /**
   * The value in `options`, or the default.
   *
   * @throws io.github.variantshredded.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION`
   */
  def read(options: CaseInsensitiveStringMap, conf: SQLConf): T =
    Option(options.get(name)).fold(fallback(conf)) { text =>
      parse(text.trim).getOrElse(throw VariantShreddedErrors.invalidOption(name, text, expected))
    }
}

/** The options of a write, each with its default, check and documentation. */
object WriteOptions {

  val Shredding: WriteOption[String] = new WriteOption(
    "shredding",
    "infer",
    "'infer', 'none' or a JSON object of shredding schemas",
    "How Variants are shredded: `infer` looks at the first rows of each file; `none` writes plain " +
      "Variants; a JSON object gives a schema a column, such as " +
      "`{\"v\": \"id bigint, tags array<string>\", \"s.w\": \"infer\"}`. Columns it leaves out are " +
      "inferred. Variants within arrays and maps are shredded only if it names them " +
      "(`list.element`, `attributes.value`).",
    _ => ShreddingSpec.Infer,
    Some(_)
  )

  val InferRows: WriteOption[Int] = new WriteOption(
    "inferRows",
    InferenceLimits.DefaultRows.toString,
    "a number from 1 to 1000000",
    "Inference looks at this many rows at the beginning of each file.",
    _ => InferenceLimits.DefaultRows,
    int(1, 1000000)
  )

  val InferBytes: WriteOption[Long] = new WriteOption(
    "inferBytes",
    "64m",
    "a size from 1 to 2147483647 bytes, such as 64m",
    "Inference stops to wait for more rows when it holds this many bytes.",
    _ => InferenceLimits.DefaultBytes,
    text => bytes(text).filter(size => size >= 1 && size <= Int.MaxValue)
  )

  val MaxShreddedColumns: WriteOption[Int] = new WriteOption(
    "maxShreddedColumns",
    InferenceLimits.DefaultColumns.toString,
    "a number from 0 to 100000",
    "Inference adds at most this many Parquet leaf columns to a file, spent on the paths that " +
      "occur in most rows.",
    _ => InferenceLimits.DefaultColumns,
    int(0, 100000)
  )

  val MaxShreddedDepth: WriteOption[Int] = new WriteOption(
    "maxShreddedDepth",
    InferenceLimits.DefaultDepth.toString,
    s"a number from 1 to ${VariantConstants.DefaultMaxDepth}",
    "Inference shreds no object or array that lies deeper than this.",
    _ => InferenceLimits.DefaultDepth,
    int(1, VariantConstants.DefaultMaxDepth)
  )

  val MinFrequency: WriteOption[Double] = new WriteOption(
    "minFrequency",
    InferenceLimits.DefaultFrequency.toString,
    "a number from 0 to 1",
    "Inference shreds a path only if it holds a value other than null in at least this share of " +
      "the rows it looks at.",
    _ => InferenceLimits.DefaultFrequency,
    share
  )

  val MinTypeShare: WriteOption[Double] = new WriteOption(
    "minTypeShare",
    InferenceLimits.DefaultTypeShare.toString,
    "a number from 0 to 1",
    "Inference gives a path a type only if at least this share of its values have it; the others " +
      "are written to `value` beside it. With less, the path gets a column without a type.",
    _ => InferenceLimits.DefaultTypeShare,
    share
  )

  val PartitionOverwrite: WriteOption[PartitionOverwriteMode.Value] = new WriteOption(
    DataSourceUtils.PARTITION_OVERWRITE_MODE,
    s"`${SQLConf.PARTITION_OVERWRITE_MODE.key}`",
    "'static' or 'dynamic'",
    "What an overwrite of a partitioned table replaces: everything, or the partitions that get " +
      "new rows.",
    _.partitionOverwriteMode,
    text => PartitionOverwriteMode.values.find(_.toString.equalsIgnoreCase(text))
  )

  val MaxRecordsPerFile: WriteOption[Long] = new WriteOption(
    "maxRecordsPerFile",
    s"`${SQLConf.MAX_RECORDS_PER_FILE.key}`",
    "a number; 0 or less is no limit",
    "A task begins a new file after this many rows.",
    _.maxRecordsPerFile,
    _.toLongOption
  )

  val Compression: WriteOption[Option[String]] = new WriteOption(
    ParquetOptions.COMPRESSION,
    s"`${SQLConf.PARQUET_COMPRESSION.key}`",
    "a Parquet compression codec",
    "Codec of the files: none, snappy, gzip, lz4_raw, zstd and others that Spark knows. " +
      "`parquet.compression` is taken too.",
    _ => None,
    text => Some(Some(text))
  )

  val TimeZone: WriteOption[String] = new WriteOption(
    DateTimeUtils.TIMEZONE_OPTION,
    s"`${SQLConf.SESSION_LOCAL_TIMEZONE.key}`",
    "a time zone",
    "Time zone in which timestamps become names of partition directories.",
    _.sessionLocalTimeZone,
    Some(_)
  )

  /**
   * Every option, in the order of the documentation. Beside them every `parquet.*` option goes to
   * Parquet, such as `parquet.block.size`.
   */
  val All: Seq[WriteOption[_]] = Seq(
    Shredding,
    InferRows,
    InferBytes,
    MaxShreddedColumns,
    MaxShreddedDepth,
    MinFrequency,
    MinTypeShare,
    PartitionOverwrite,
    MaxRecordsPerFile,
    Compression,
    TimeZone
  )

  /** The limits of the inference. */
  def inferenceLimits(options: CaseInsensitiveStringMap, conf: SQLConf): InferenceLimits =
    InferenceLimits(
      rows = InferRows.read(options, conf),
      bytes = InferBytes.read(options, conf),
      columns = MaxShreddedColumns.read(options, conf),
      depth = MaxShreddedDepth.read(options, conf),
      frequency = MinFrequency.read(options, conf),
      typeShare = MinTypeShare.read(options, conf)
    )

  private def int(from: Int, to: Int)(text: String): Option[Int] =
    text.toIntOption.filter(number => number >= from && number <= to)

  private def share(text: String): Option[Double] =
    text.toDoubleOption.filter(number => number >= 0 && number <= 1)

  private def bytes(text: String): Option[Long] =
    try Some(JavaUtils.byteStringAsBytes(text))
    catch { case _: NumberFormatException | _: IllegalArgumentException => None }
}
