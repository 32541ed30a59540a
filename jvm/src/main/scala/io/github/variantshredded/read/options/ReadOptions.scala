package io.github.variantshredded.read.options

import java.util.Locale

import scala.util.Try

import io.github.variantshredded.options.{OptionEntry, OptionWithDefault}
import io.github.variantshredded.variant.VariantConstants
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Declares the options of reading and the settings of the session. `docs/options.md` is generated
 * from these entries and from those of [[io.github.variantshredded.write.options.WriteOptions]].
 */
object ReadOptions {

  /** The value of [[Validation]] that refuses every violation of the specification. */
  private[options] final val Strict = "strict"

  val Validation: OptionWithDefault[String] = OptionWithDefault.choice(
    "validation",
    Strict,
    Seq(Strict, "permissive"),
    "What happens when a file breaks a rule of the shredding specification: `strict` raises an " +
      "error, `permissive` reads the value where the specification says how (`typed_value` takes " +
      "precedence). The former name `mode` still works for reads.",
    formerName = Some("mode")
  )

  val MaxDepth: OptionWithDefault[Int] = OptionWithDefault.int(
    "maxDepth",
    VariantConstants.DefaultMaxDepth,
    1 to 1000,
    "The deepest nesting that a Variant may have. A deeper one is an error."
  )

  val Schema: OptionEntry[StructType] = OptionEntry(
    "schema",
    "inferred",
    "a schema as DDL or as JSON",
    "The schema of the rows, such as `id bigint, v variant`. It is the same as `.schema(...)`."
  )(parseSchema)

  val MergeSchema: OptionEntry[Boolean] = OptionEntry.booleanOfSession(
    "mergeSchema",
    "spark.sql.parquet.mergeSchema",
    "Whether the schemas of all files are merged. Otherwise the schema comes from one file."
  )

  val IgnoreCorruptFiles: OptionEntry[Boolean] = OptionEntry.booleanOfSession(
    "ignoreCorruptFiles",
    "spark.sql.files.ignoreCorruptFiles",
    "Whether the rest of a file is skipped after an error in the file."
  )

  val IgnoreMissingFiles: OptionEntry[Boolean] = OptionEntry.booleanOfSession(
    "ignoreMissingFiles",
    "spark.sql.files.ignoreMissingFiles",
    "Whether a file that was deleted after the files were listed is skipped."
  )

  val RecursiveFileLookup: OptionWithDefault[Boolean] = OptionWithDefault.boolean(
    "recursiveFileLookup",
    false,
    "Whether the files of all subdirectories are read. There are no partition columns then. A " +
      "partitioned table that is read by its name refuses this option."
  )

  val PathGlobFilter: OptionEntry[String] = OptionEntry.text(
    "pathGlobFilter",
    "all files",
    "a glob",
    "Only files whose name matches the glob are read."
  )

  val ModifiedAfter: OptionEntry[String] = OptionEntry.text(
    "modifiedAfter",
    "all files",
    "a timestamp such as 2026-01-31T08:00:00",
    "Only files that were modified after this time are read."
  )

  val ModifiedBefore: OptionEntry[String] = OptionEntry.text(
    "modifiedBefore",
    "all files",
    "a timestamp such as 2026-01-31T08:00:00",
    "Only files that were modified before this time are read."
  )

  val BasePath: OptionEntry[String] = OptionEntry.text(
    "basePath",
    "the paths given",
    "a directory",
    "The directory below which directories named `name=value` are partition columns."
  )

  val TimeZone: OptionEntry[String] = OptionEntry(
    WriteOptions.TimeZone.name,
    WriteOptions.TimeZone.defaultText,
    WriteOptions.TimeZone.expected,
    "The time zone of `modifiedAfter` and `modifiedBefore`, and of timestamps in the names of " +
      "partition directories."
  )(text => Some(WriteOptions.TimeZone.valueOf(text)))

  private val RebaseModes =
    Seq(LegacyBehaviorPolicy.EXCEPTION, LegacyBehaviorPolicy.LEGACY, LegacyBehaviorPolicy.CORRECTED)

  val DatetimeRebaseMode: OptionEntry[LegacyBehaviorPolicy.Value] = OptionEntry.choiceOfSession(
    "datetimeRebaseMode",
    "spark.sql.parquet.datetimeRebaseModeInRead",
    RebaseModes,
    "How to read dates and timestamps that Spark before 3.0 wrote in the hybrid calendar."
  )

  val Int96RebaseMode: OptionEntry[LegacyBehaviorPolicy.Value] = OptionEntry.choiceOfSession(
    "int96RebaseMode",
    "spark.sql.parquet.int96RebaseModeInRead",
    RebaseModes,
    "The same setting for INT96 timestamps."
  )

  val ResidualSample: OptionWithDefault[Int] = OptionWithDefault.int(
    "residualSample",
    10000,
    0 to Int.MaxValue,
    "The columns `residual_types` and `residual_counts` are computed from this many rows at the " +
      "beginning of each row group. With 0 they are empty."
  )

  val EveryFile: OptionWithDefault[Boolean] = OptionWithDefault.boolean(
    "everyFile",
    false,
    "Whether it is an error if a read leaves out files below the paths: files beside the " +
      "directories of partition columns, or files in directories below the paths."
  )

  val PushDownExtractions: OptionWithDefault[Boolean] = OptionWithDefault.boolean(
    "spark.sql.variantShredded.pushDownExtractions",
    true,
    "Whether extractions are pushed down: the scan reads the fields that a query extracts as " +
      "columns of their own, and does not rebuild the whole Variant."
  )

  val PushDownPredicates: OptionWithDefault[Boolean] = OptionWithDefault.boolean(
    "spark.sql.variantShredded.pushDownPredicates",
    true,
    "Whether predicates on columns and on fields of Variants are pushed down: the scan skips row " +
      "groups, pages and rows that do not meet them."
  )

  val AggregateFooters: OptionWithDefault[Boolean] = OptionWithDefault.boolean(
    "spark.sql.variantShredded.aggregateFooters",
    true,
    "Whether `count`, `min` and `max` of columns and of fields of Variants are taken from the " +
      "statistics in the footers, where these are exact."
  )

  val LateMaterializationMinBytes: OptionWithDefault[Int] = OptionWithDefault.int(
    "spark.sql.variantShredded.lateMaterializationMinBytes",
    1 << 20,
    0 to Int.MaxValue,
    "Late materialization: predicates are evaluated before the other columns are decoded if those " +
      "columns have at least this many compressed bytes in a row group."
  )

  val PlanningFooters: OptionWithDefault[Int] = OptionWithDefault.int(
    "spark.sql.variantShredded.planningFooters",
    8,
    0 to 1000,
    "At most this many footers are read to estimate the size of a scan, by which Spark chooses " +
      "joins; footers in the cache are used as well. With 0 the size is estimated from the types of " +
      "the columns."
  )

  private val Sources = Seq("parquet", "delta", "iceberg")
  private val TakenOver = Seq("parquet", "delta")

  val TakeOver: OptionWithDefault[Set[String]] = OptionWithDefault(
    "spark.sql.variantShredded.takeOver",
    TakenOver.toSet,
    TakenOver.mkString(","),
    Sources.mkString("none, or a list of ", ", ", ""),
    "The sources whose Variants are read through this source, in a session with the extension " +
      "`io.github.variantshredded.VariantShreddedExtensions`. With `none`, no source is taken over."
  ) { text =>
    val names = text.split(",").map(_.trim.toLowerCase(Locale.ROOT)).filter(_.nonEmpty).toSet
    if (names == Set("none")) Some(Set.empty) else Some(names).filter(_.subsetOf(Sources.toSet))
  }

  val TakeOverOption: OptionWithDefault[Boolean] = OptionWithDefault.boolean(
    "variantShredded.takeOver",
    true,
    "Whether this source may read the Variants of the table or path."
  )

  /** Settings of the session. */
  val settings: Seq[OptionWithDefault[_]] =
    Seq(
      PushDownExtractions,
      PushDownPredicates,
      AggregateFooters,
      LateMaterializationMinBytes,
      PlanningFooters,
      TakeOver
    )

  /** Returns the value of a setting in the session. */
  def setting[T](entry: OptionWithDefault[T], conf: SQLConf): T =
    Option(conf.getConfString(entry.name, null)).fold(entry.default)(entry.valueOf)

  /** The entries of reading that Spark's Parquet source does not have. */
  val own: Seq[OptionEntry[_]] = Seq(
    Schema,
    Validation,
    MaxDepth
  )

  /** All entries of reading, in the order of the documentation. */
  val reading: Seq[OptionEntry[_]] = own ++ Seq(
    MergeSchema,
    IgnoreCorruptFiles,
    IgnoreMissingFiles,
    RecursiveFileLookup,
    PathGlobFilter,
    ModifiedAfter,
    ModifiedBefore,
    TimeZone,
    BasePath,
    DatetimeRebaseMode,
    Int96RebaseMode
  )

  /** Entries of the format `variant-shredded-files`, beside those of reading. */
  val inspecting: Seq[OptionEntry[_]] = Seq(ResidualSample, EveryFile)

  /** Raises `INVALID_VARIANT_SHREDDED_OPTION` for the first of `entries` with a bad value. */
  def check(entries: Seq[OptionEntry[_]], options: CaseInsensitiveStringMap): Unit =
    entries.foreach(_.get(options))

  /**
   * Parses DDL; a text that does not parse raises Spark's own error, which shows the position.
   * Spark's parser has no error for a number that is no `int`, as in `decimal(99999999999)`, and an
   * assertion against the parameter marker of a prepared statement, as in `decimal(?)`.
   */
  private def parseSchema(text: String): Option[StructType] =
    if (text.trim.startsWith("{")) {
      Try(DataType.fromJson(text)).toOption.collect { case schema: StructType => schema }
    } else {
      try Some(StructType.fromDDL(text))
      catch { case _: NumberFormatException | _: AssertionError => None }
    }
}
