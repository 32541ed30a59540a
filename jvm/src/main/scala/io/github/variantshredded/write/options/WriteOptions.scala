package io.github.variantshredded.write.options

import scala.util.Try

import io.github.variantshredded.options.OptionEntry
import io.github.variantshredded.shredding.{InferenceLimits, ShreddingSchema, ShreddingSpec}
import io.github.variantshredded.shredding.layout.{Layout => Layouts}
import io.github.variantshredded.write.infer.DriftLimits
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The options of writing. Beside them every `parquet.*` option goes to Parquet. */
object WriteOptions {

  val Shredding: OptionEntry[String] = OptionEntry.text(
    "shredding",
    ShreddingSpec.Infer,
    "'infer', 'none', 'like:PATH', fields as DDL, or a JSON object of these",
    "How Variants are shredded: `infer` looks at the first rows of each file; `none` writes plain " +
      "Variants; `like:PATH` takes the schema of the newest file there; fields such as " +
      "`id bigint, tags array<string>` are for the only column with Variants; a JSON object has one " +
      "of these for each column, such as `{\"v\": \"id bigint\", \"s.w\": \"infer\"}`. Columns it " +
      "leaves out are inferred. Variants within arrays and maps are shredded only if it names them " +
      "(`list.element`, `attributes.value`)."
  )

  val Layout: OptionEntry[String] = OptionEntry.choice(
    "layout",
    Layouts.Spec.name,
    Layouts.All.map(_.name),
    "How shredded Variants are laid out: `spec` as the Parquet specification has it, `overview` as " +
      "Spark did before, with the groups `object`, `array`, `typed_value` and `untyped_value`. Readers " +
      "see it in the files."
  )

  private def paths(kind: String, default: String, expected: String, doc: String) =
    OptionEntry.text(s"shredding.$kind", default, expected, doc)

  val Include: OptionEntry[String] = paths(
    "include",
    "nothing",
    "paths such as `$.a.b, $['odd name'], $.list[*].c`",
    "Paths that get columns by inference whatever their presence and type. " +
      "`shredding.<column>.include` is for one column, and goes before this one; so with the next two."
  )

  val Exclude: OptionEntry[String] = paths(
    "exclude",
    "nothing",
    "paths",
    "Paths that inference leaves in the residual, with all that is below them."
  )

  val Pin: OptionEntry[String] = paths(
    "pin",
    "nothing",
    "paths with types such as `$.ts timestamp, $.user struct<id bigint>`",
    "Paths that are shredded with these types whatever the data are."
  )

  val ReuseShredding: OptionEntry[Boolean] = OptionEntry.boolean(
    "reuseShredding",
    "true",
    "Where rows are added to files, inference keeps the schema of the newest file except for fields " +
      "that have changed."
  )

  val InferRows: OptionEntry[Int] = OptionEntry.int(
    "inferRows",
    InferenceLimits.DefaultRows.toString,
    1 to 1000000,
    "Inference looks at this many rows at the beginning of each file."
  )

  val InferBytes: OptionEntry[Long] = OptionEntry(
    "inferBytes",
    "64m",
    "a size from 1 to 2147483647 bytes, such as 64m",
    "Inference waits for no more rows when it holds this many bytes."
  )(text => bytes(text).filter(size => size >= 1 && size <= Int.MaxValue))

  val MaxShreddedColumns: OptionEntry[Int] = OptionEntry.int(
    "maxShreddedColumns",
    InferenceLimits.DefaultColumns.toString,
    0 to 100000,
    "Inference adds at most this many Parquet leaf columns to a file, spent on the paths that " +
      "hold most bytes."
  )

  val MaxShreddedDepth: OptionEntry[Int] = OptionEntry.int(
    "maxShreddedDepth",
    InferenceLimits.DefaultDepth.toString,
    1 to ShreddingSchema.MaxDepth,
    "Inference shreds no object or array that lies deeper than this."
  )

  val MinFrequency: OptionEntry[Double] = OptionEntry(
    "minFrequency",
    InferenceLimits.DefaultFrequency.toString,
    "a number from 0 to 1",
    "Inference shreds a path only if it holds a value other than null in at least this share of " +
      "the rows it looks at."
  )(share)

  val MinTypeShare: OptionEntry[Double] = OptionEntry(
    "minTypeShare",
    InferenceLimits.DefaultTypeShare.toString,
    "a number from 0 to 1",
    "Inference gives a path a scalar type or that of an array only if at least this share of its " +
      "values have it; the others are written to `value` beside it. With less, the path gets a " +
      "column without a type."
  )(share)

  val MinObjectShare: OptionEntry[Double] = OptionEntry(
    "minObjectShare",
    InferenceLimits.DefaultObjectShare.toString,
    "a number from 0 to 1",
    "The like for objects: fields of a path are shredded only if at least this share of its values " +
      "are objects."
  )(share)

  val MaxObjectKeys: OptionEntry[Int] = OptionEntry.int(
    "maxObjectKeys",
    InferenceLimits.DefaultMapKeys.toString,
    1 to 4096,
    "An object with more different keys than this, over all rows that inference looks at, is a map " +
      "with keys such as ids or dates: only keys that half of these objects have are shredded."
  )

  val BloomFilter: OptionEntry[String] = OptionEntry.text(
    "bloomFilter",
    "none",
    "paths such as $.id, $.tags[*]",
    "Paths whose typed columns get bloom filters, which let readers skip row groups without a value: " +
      "`$.id, $.tags[*]`, or with several Variant columns a JSON object such as " +
      "`{\"v\": \"$.id\", \"s.w\": \"$.key\"}`. Filters are as large as the number of distinct values " +
      "demands, up to `parquet.bloom.filter.max.bytes`."
  )

  val DriftRows: OptionEntry[Int] = OptionEntry.int(
    "driftRows",
    DriftLimits.DefaultRows.toString,
    0 to Int.MaxValue,
    s"Of every so many rows of a file the last ${DriftLimits.SampledRows} are looked at; if inferred " +
      "schemas do not fit them any more, a new file begins, with a schema of its own. 0: never."
  )

  val DriftFiles: OptionEntry[Int] = OptionEntry.int(
    "driftFiles",
    DriftLimits.DefaultFiles.toString,
    0 to 1000,
    "A task ends at most so many files because of `driftRows`."
  )

  /** Value of [[Clustering]] that brings rows of one shape together. */
  private[write] final val ByShape = "shape"

  val Clustering: OptionEntry[String] = OptionEntry.choice(
    "clustering",
    "none",
    Seq("none", ByShape),
    "`shape` writes rows that fill the same columns one after the other, so that files are smaller " +
      "and readers skip more; `none` keeps the order of rows."
  )

  val ClusterBy: OptionEntry[String] = OptionEntry.text(
    "clusterBy",
    "none",
    "paths such as $.kind, $.user.name",
    "Rows are written in the order of the values at these paths, and alike ones by `clustering`: " +
      "`$.kind, $.ts`, or with several Variant columns a JSON object such as " +
      "`{\"v\": \"$.kind\", \"s.w\": \"$.key\"}`."
  )

  val ClusterBytes: OptionEntry[Long] = OptionEntry(
    "clusterBytes",
    "half of parquet.block.size",
    "a size from 1 byte on, such as 64m",
    "`clustering` and `clusterBy` hold rows of so many bytes at a time; within these they hold."
  )(text => bytes(text).filter(_ >= 1))

  val PartitionOverwrite: OptionEntry[PartitionOverwriteMode.Value] = OptionEntry(
    DataSourceUtils.PARTITION_OVERWRITE_MODE,
    SQLConf.PARTITION_OVERWRITE_MODE.key,
    "static or dynamic",
    "What an overwrite of a partitioned table replaces: everything (`static`), or the partitions " +
      "that get new rows (`dynamic`)."
  )(text => PartitionOverwriteMode.values.find(_.toString.equalsIgnoreCase(text.trim)))

  val MaxRecordsPerFile: OptionEntry[Long] = OptionEntry(
    "maxRecordsPerFile",
    SQLConf.MAX_RECORDS_PER_FILE.key,
    "a whole number; 0 or less is no limit",
    "A task begins a new file after this many rows."
  )(_.trim.toLongOption)

  val Compression: OptionEntry[String] = OptionEntry.text(
    ParquetOptions.COMPRESSION,
    SQLConf.PARQUET_COMPRESSION.key,
    "a Parquet compression codec",
    "Codec of the files: none, snappy, gzip, lz4_raw, zstd and others that Spark knows. " +
      "`parquet.compression` is taken too."
  )

  val TimeZone: OptionEntry[String] = OptionEntry(
    DateTimeUtils.TIMEZONE_OPTION,
    SQLConf.SESSION_LOCAL_TIMEZONE.key,
    "a time zone such as Europe/Berlin",
    "Time zone in which timestamps become names of partition directories."
  )(text => Try(DateTimeUtils.getZoneId(text)).toOption.map(_ => text))

  val Retention: OptionEntry[Long] = OptionEntry(
    "retention",
    "no end",
    "a time such as 7d or 12h",
    "Streams only: the log of a stream forgets files that are older, and readers with it."
  )(text => Try(JavaUtils.timeStringAsMs(text.trim)).toOption.filter(_ > 0))

  /** Every option, in the order of the documentation. */
  val All: Seq[OptionEntry[_]] = Seq(
    Shredding,
    Layout,
    Include,
    Exclude,
    Pin,
    ReuseShredding,
    InferRows,
    InferBytes,
    MaxShreddedColumns,
    MaxShreddedDepth,
    MinFrequency,
    MinTypeShare,
    BloomFilter,
    MinObjectShare,
    MaxObjectKeys,
    DriftRows,
    DriftFiles,
    Clustering,
    ClusterBy,
    ClusterBytes,
    PartitionOverwrite,
    MaxRecordsPerFile,
    Compression,
    TimeZone,
    Retention
  )

  /** The limits of the inference. */
  def inferenceLimits(options: CaseInsensitiveStringMap): InferenceLimits = InferenceLimits(
    rows = InferRows.get(options).getOrElse(InferenceLimits.DefaultRows),
    bytes = InferBytes.get(options).getOrElse(InferenceLimits.DefaultBytes),
    columns = MaxShreddedColumns.get(options).getOrElse(InferenceLimits.DefaultColumns),
    depth = MaxShreddedDepth.get(options).getOrElse(InferenceLimits.DefaultDepth),
    frequency = MinFrequency.get(options).getOrElse(InferenceLimits.DefaultFrequency),
    typeShare = MinTypeShare.get(options).getOrElse(InferenceLimits.DefaultTypeShare),
    objectShare = MinObjectShare.get(options).getOrElse(InferenceLimits.DefaultObjectShare),
    mapKeys = MaxObjectKeys.get(options).getOrElse(InferenceLimits.DefaultMapKeys)
  )

  /** When files end because of what later rows have. */
  private[write] def driftLimits(options: CaseInsensitiveStringMap): DriftLimits = DriftLimits(
    DriftRows.get(options).getOrElse(DriftLimits.DefaultRows),
    DriftFiles.get(options).getOrElse(DriftLimits.DefaultFiles)
  )

  def layout(options: CaseInsensitiveStringMap): Layouts =
    Layout.get(options).flatMap(name => Layouts.All.find(_.name == name)).getOrElse(Layouts.Spec)

  def timeZone(options: CaseInsensitiveStringMap, conf: SQLConf): String =
    TimeZone.get(options).getOrElse(conf.sessionLocalTimeZone)

  private def share(text: String): Option[Double] =
    text.trim.toDoubleOption.filter(number => number >= 0 && number <= 1)

  private def bytes(text: String): Option[Long] =
    Try(JavaUtils.byteStringAsBytes(text.trim)).toOption
}
