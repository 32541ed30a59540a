package io.github.variantshredded.write.options

import scala.util.Try

import io.github.variantshredded.options.{OptionEntry, OptionWithDefault}
import io.github.variantshredded.shredding.{InferenceLimits, ShreddingSchema, ShreddingSpec}
import io.github.variantshredded.shredding.layout.{Layout => Layouts}
import io.github.variantshredded.write.infer.{DriftLimits, SampleLimits}
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Declares the options of writing. Options that begin with `parquet.` are handed to Parquet. */
object WriteOptions {

  val Shredding: OptionWithDefault[String] = OptionWithDefault(
    "shredding",
    ShreddingSpec.Infer,
    ShreddingSpec.Infer,
    "'infer', 'none', 'like:PATH', fields as DDL, or a JSON object of these",
    "The shredding schema: `infer` chooses it from the first rows of each file; `none` writes " +
      "unshredded Variants; `like:PATH` takes it from the newest file at that path; fields such as " +
      "`id bigint, tags array<string>` are for a table with one Variant column. A JSON object gives " +
      "one of these for each column, such as `{\"v\": \"id bigint\", \"s.w\": \"infer\"}`; columns " +
      "that it does not name are inferred. A Variant in an array or a map is shredded only if the " +
      "JSON object names it (`list.element`, `attributes.value`)."
  )(Some(_))

  val Layout: OptionWithDefault[String] = OptionWithDefault.choice(
    "layout",
    Layouts.Spec.name,
    Layouts.All.map(_.name),
    "The layout of shredded Variants in Parquet columns: `spec` is that of the Parquet " +
      "specification; `overview` is the earlier one of Spark, with the groups `object`, `array`, " +
      "`typed_value` and `untyped_value`. Readers recognize the layout of each file."
  )

  private def paths(kind: String, default: String, expected: String, doc: String) =
    OptionEntry.text(s"shredding.$kind", default, expected, doc)

  val Include: OptionEntry[String] = paths(
    "include",
    "nothing",
    "paths such as `$.a.b, $['odd name'], $.list[*].c`",
    "Paths that schema inference gives a column, however rare they are and whatever types they " +
      "have. `shredding.<column>.include` is for one Variant column and takes precedence. The same " +
      "holds for `shredding.exclude` and `shredding.pin`."
  )

  val Exclude: OptionEntry[String] = paths(
    "exclude",
    "nothing",
    "paths",
    "Paths that schema inference leaves in the residual `value` column, with all paths below them."
  )

  val Pin: OptionEntry[String] = paths(
    "pin",
    "nothing",
    "paths with types such as `$.ts timestamp, $.user struct<id bigint>`",
    "Paths that are shredded with the given types, whatever the data are."
  )

  val ReuseShredding: OptionWithDefault[Boolean] = OptionWithDefault.boolean(
    "reuseShredding",
    true,
    "Whether an append keeps the shredding schema of the newest file, except for fields whose " +
      "values have changed."
  )

  val InferRows: OptionWithDefault[Int] = OptionWithDefault.int(
    "inferRows",
    SampleLimits.DefaultRows,
    1 to 1000000,
    "The sample, from which schema inference chooses the schema of a file, ends after this many rows."
  )

  val InferBytes: OptionWithDefault[Long] = OptionWithDefault(
    "inferBytes",
    SampleLimits.DefaultBytes,
    s"${SampleLimits.DefaultBytes >> 20}m",
    "a size from 1 to 2147483647 bytes, such as 64m",
    "The sample also ends when it holds this many bytes."
  )(text => bytes(text).filter(size => size >= 1 && size <= Int.MaxValue))

  val MaxShreddedColumns: OptionWithDefault[Int] = OptionWithDefault.int(
    "maxShreddedColumns",
    InferenceLimits.DefaultColumns,
    0 to 100000,
    "The column budget: schema inference adds at most this many leaf columns to a file. The paths " +
      "whose values hold most bytes in the sample get them; at most 256 bytes of each value count."
  )

  val MaxShreddedDepth: OptionWithDefault[Int] = OptionWithDefault.int(
    "maxShreddedDepth",
    InferenceLimits.DefaultDepth,
    1 to ShreddingSchema.MaxDepth,
    "Objects and arrays that are nested deeper than this are not shredded."
  )

  val MinFrequency: OptionWithDefault[Double] = OptionWithDefault(
    "minFrequency",
    InferenceLimits.DefaultFrequency,
    InferenceLimits.DefaultFrequency.toString,
    "a number from 0 to 1",
    "The least presence: a path is shredded only if at least this share of the sample has a value " +
      "there that is not null."
  )(share)

  val MinTypeShare: OptionWithDefault[Double] = OptionWithDefault(
    "minTypeShare",
    InferenceLimits.DefaultTypeShare,
    InferenceLimits.DefaultTypeShare.toString,
    "a number from 0 to 1",
    "A path gets a typed column of a scalar type, or of an array, only if at least this share of " +
      "its values have that type; the others are residual values. Otherwise the path gets a column " +
      "for residual values only."
  )(share)

  val MinObjectShare: OptionWithDefault[Double] = OptionWithDefault(
    "minObjectShare",
    InferenceLimits.DefaultObjectShare,
    InferenceLimits.DefaultObjectShare.toString,
    "a number from 0 to 1",
    "The fields of a path are shredded only if at least this share of its values are objects."
  )(share)

  val MaxObjectKeys: OptionWithDefault[Int] = OptionWithDefault.int(
    "maxObjectKeys",
    InferenceLimits.DefaultMapKeys,
    1 to 4096,
    "Objects at a path that have more distinct field names than this in the sample are treated as " +
      "a map, whose names are ids or dates, for example: only fields that at least half of the " +
      "objects have are shredded."
  )

  val BloomFilter: OptionEntry[String] = OptionEntry.text(
    "bloomFilter",
    "nothing",
    "paths such as $.id, $.tags[*]",
    "Paths whose typed columns get bloom filters, by which readers skip row groups that do not hold " +
      "a value: `$.id, $.tags[*]`, or for several Variant columns a JSON object such as " +
      "`{\"v\": \"$.id\", \"s.w\": \"$.key\"}`. The size of a filter follows the number of distinct " +
      "values, up to `parquet.bloom.filter.max.bytes`."
  )

  val DriftRows: OptionWithDefault[Int] = OptionWithDefault.int(
    "driftRows",
    DriftLimits.DefaultRows,
    0 to Int.MaxValue,
    "The interval, in rows of a file, at which the task checks for schema drift. It looks at the last " +
      s"${DriftLimits.SampledRows} of these rows. If the inferred schema no longer fits them, the " +
      "task begins a new file with a new schema. With 0 it never checks."
  )

  val DriftFiles: OptionWithDefault[Int] = OptionWithDefault.int(
    "driftFiles",
    DriftLimits.DefaultFiles,
    0 to 1000,
    "A task ends at most this many files because of schema drift."
  )

  /** The value of [[Clustering]] that sorts rows by the columns that they fill. */
  private[write] final val ByShape = "shape"

  val Clustering: OptionWithDefault[String] = OptionWithDefault.choice(
    "clustering",
    "none",
    Seq("none", ByShape),
    "`shape` sorts the rows in the row buffer by the columns that they fill, which makes files " +
      "smaller and lets readers skip more; `none` keeps the order of the rows."
  )

  val ClusterBy: OptionEntry[String] = OptionEntry.text(
    "clusterBy",
    "nothing",
    "paths such as $.kind, $.user.name",
    "The rows in the row buffer are sorted by the values at these paths, and rows with equal values " +
      "by `clustering`: `$.kind, $.ts`, or for several Variant columns a JSON object such as " +
      "`{\"v\": \"$.kind\", \"s.w\": \"$.key\"}`."
  )

  val ClusterBytes: OptionEntry[Long] = OptionEntry(
    "clusterBytes",
    "half of parquet.block.size",
    "a size from 1 byte on, such as 64m",
    "The size of the row buffer for `clustering` and `clusterBy`: rows are buffered up to this size and sorted within the buffer."
  )(text => bytes(text).filter(_ >= 1))

  val PartitionOverwrite: OptionEntry[PartitionOverwriteMode.Value] = OptionEntry(
    DataSourceUtils.PARTITION_OVERWRITE_MODE,
    SQLConf.PARTITION_OVERWRITE_MODE.key,
    "static or dynamic",
    "What an overwrite of a partitioned table replaces: all partitions (`static`), or only the " +
      "partitions that get new rows (`dynamic`). `INSERT OVERWRITE` of a table with the " +
      "option `static` is refused if the setting of the session is `dynamic`."
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
    "The codec of the files: none, snappy, gzip, lz4_raw, zstd or another one of Spark's. " +
      "`parquet.compression` has the same meaning."
  )

  val TimeZone: OptionEntry[String] = OptionEntry(
    DateTimeUtils.TIMEZONE_OPTION,
    SQLConf.SESSION_LOCAL_TIMEZONE.key,
    "a time zone such as Europe/Berlin",
    "The time zone in which timestamps are written into the names of partition directories. " +
      "Readers of the path need the same time zone, in their session or as their option " +
      "`timeZone`."
  )(text => Try(DateTimeUtils.getZoneId(text)).toOption.map(_ => text))

  val Retention: OptionEntry[Long] = OptionEntry(
    "retention",
    "unlimited",
    "a time such as 7d or 12h",
    "For streams only: files that are older than this leave the log of the stream, and readers no longer see them."
  )(text => Try(JavaUtils.timeStringAsMs(text.trim)).toOption.filter(_ > 0))

  /** Every option in the groups of the documentation, each group with its title. */
  val Groups: Seq[(String, Seq[OptionEntry[_]])] = Seq(
    "What is shredded" -> Seq(Shredding, Include, Exclude, Pin, ReuseShredding, Layout),
    "Skipping and order of rows" -> Seq(BloomFilter, Clustering, ClusterBy, ClusterBytes),
    "Files and partitions" ->
      Seq(Compression, MaxRecordsPerFile, PartitionOverwrite, TimeZone, Retention),
    "Rules of schema inference" -> Seq(
      MaxShreddedColumns,
      MaxShreddedDepth,
      MinFrequency,
      MinTypeShare,
      MinObjectShare,
      MaxObjectKeys,
      InferRows,
      InferBytes,
      DriftRows,
      DriftFiles
    )
  )

  val All: Seq[OptionEntry[_]] = Groups.flatMap(_._2)

  /** Returns the limits of the sample. */
  private[write] def sampleLimits(options: CaseInsensitiveStringMap): SampleLimits = SampleLimits(
    InferRows.of(options),
    InferBytes.of(options)
  )

  /** Returns the limits of schema inference. */
  def inferenceLimits(options: CaseInsensitiveStringMap): InferenceLimits = InferenceLimits(
    columns = MaxShreddedColumns.of(options),
    depth = MaxShreddedDepth.of(options),
    frequency = MinFrequency.of(options),
    typeShare = MinTypeShare.of(options),
    objectShare = MinObjectShare.of(options),
    mapKeys = MaxObjectKeys.of(options)
  )

  /** Returns the limits by which schema drift ends files. */
  private[write] def driftLimits(options: CaseInsensitiveStringMap): DriftLimits = DriftLimits(
    DriftRows.of(options),
    DriftFiles.of(options)
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
