package io.github.variantshredded.read.options

import scala.util.Try

import io.github.variantshredded.options.OptionEntry
import io.github.variantshredded.variant.VariantConstants
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The options of reading. The same words hold in Scala, Python and SQL; `docs/options.md` is
 * generated from these entries.
 */
object VariantShreddedOptions {

  val Mode: OptionEntry[String] = OptionEntry.choice(
    "mode",
    "strict",
    Seq("strict", "permissive"),
    "`strict` refuses every violation of the shredding spec that is met; `permissive` reads what " +
      "the spec lets a reader read (`typed_value` wins)."
  )

  val MaxDepth: OptionEntry[Int] = OptionEntry.int(
    "maxDepth",
    VariantConstants.DefaultMaxDepth.toString,
    1 to 1000,
    "Deepest nesting of a Variant value that is read."
  )

  val Schema: OptionEntry[StructType] = OptionEntry(
    "schema",
    "inferred",
    "a schema as DDL or as JSON",
    "Schema of the rows, such as `id bigint, v variant`; the same as `.schema(...)`."
  )(parseSchema)

  val MergeSchema: OptionEntry[Boolean] = OptionEntry.boolean(
    "mergeSchema",
    "spark.sql.parquet.mergeSchema",
    "Merge the schemas of all files; otherwise the first file tells."
  )

  val IgnoreCorruptFiles: OptionEntry[Boolean] = OptionEntry.boolean(
    "ignoreCorruptFiles",
    "spark.sql.files.ignoreCorruptFiles",
    "Go on without the rest of a file that cannot be read."
  )

  val IgnoreMissingFiles: OptionEntry[Boolean] = OptionEntry.boolean(
    "ignoreMissingFiles",
    "spark.sql.files.ignoreMissingFiles",
    "Go on without a file that was deleted after the listing."
  )

  val RecursiveFileLookup: OptionEntry[Boolean] = OptionEntry.boolean(
    "recursiveFileLookup",
    "false",
    "Read the files of all subdirectories; switches partition discovery off. Refused for a table " +
      "by name that has partition columns."
  )

  val PathGlobFilter: OptionEntry[String] = OptionEntry.text(
    "pathGlobFilter",
    "all files",
    "a glob pattern",
    "Read only the files whose name matches."
  )

  val ModifiedAfter: OptionEntry[String] = OptionEntry.text(
    "modifiedAfter",
    "all files",
    "a timestamp such as 2026-01-31T08:00:00",
    "Read only the files that were modified after this time."
  )

  val ModifiedBefore: OptionEntry[String] = OptionEntry.text(
    "modifiedBefore",
    "all files",
    "a timestamp such as 2026-01-31T08:00:00",
    "Read only the files that were modified before this time."
  )

  val BasePath: OptionEntry[String] = OptionEntry.text(
    "basePath",
    "the paths given",
    "a directory",
    "Directory below which `name=value` directories are partition columns."
  )

  private val RebaseModes = Seq("EXCEPTION", "LEGACY", "CORRECTED")

  val DatetimeRebaseMode: OptionEntry[String] = OptionEntry.choice(
    "datetimeRebaseMode",
    "spark.sql.parquet.datetimeRebaseModeInRead",
    RebaseModes,
    "How dates and timestamps of files from Spark before 3.0 are read."
  )

  val Int96RebaseMode: OptionEntry[String] = OptionEntry.choice(
    "int96RebaseMode",
    "spark.sql.parquet.int96RebaseModeInRead",
    RebaseModes,
    "The like for INT96 timestamps."
  )

  val ResidualSample: OptionEntry[Int] = OptionEntry.int(
    "residualSample",
    "10000",
    0 to Int.MaxValue,
    "So many rows at the beginning of each row group are looked at for `residual_types`, if that " +
      "column is asked for; 0: none."
  )

  val PushDownExtractions: OptionEntry[Boolean] = OptionEntry.boolean(
    "spark.sql.variantShredded.pushDownExtractions",
    "true",
    "Read the fields of a Variant that a query asks for as columns of their own, in place of the " +
      "whole Variant."
  )

  val PushDownPredicates: OptionEntry[Boolean] = OptionEntry.boolean(
    "spark.sql.variantShredded.pushDownPredicates",
    "true",
    "Leave out row groups, pages and rows that do not meet a query's conditions on columns and on " +
      "fields of Variants."
  )

  val ConditionsFirst: OptionEntry[Int] = OptionEntry.int(
    "spark.sql.variantShredded.conditionsFirst",
    s"${1 << 20}",
    0 to Int.MaxValue,
    "Conditions are evaluated before other columns are decoded where those have at least so many " +
      "compressed bytes in a row group."
  )

  val PlanningFooters: OptionEntry[Int] = OptionEntry.int(
    "spark.sql.variantShredded.planningFooters",
    "8",
    0 to 1000,
    "To estimate the size of a scan, for the choice of joins, so many footers are read at most, " +
      "beside those that are known; 0: it is estimated by the types of the columns."
  )

  /** Settings of the session. */
  val settings: Seq[OptionEntry[_]] =
    Seq(PushDownExtractions, PushDownPredicates, ConditionsFirst, PlanningFooters)

  /** The value of a setting in the session. */
  def setting[T](entry: OptionEntry[T], conf: SQLConf): T =
    entry.valueOf(conf.getConfString(entry.name, entry.default))

  /** All entries of reading, in the order of the documentation. */
  val reading: Seq[OptionEntry[_]] = Seq(
    Schema,
    Mode,
    MaxDepth,
    MergeSchema,
    IgnoreCorruptFiles,
    IgnoreMissingFiles,
    RecursiveFileLookup,
    PathGlobFilter,
    ModifiedAfter,
    ModifiedBefore,
    BasePath,
    DatetimeRebaseMode,
    Int96RebaseMode
  )

  /** Those that matter most, in the order of `README.md`, whose table is generated from them. */
  def mostUsed: Seq[OptionEntry[_]] = Seq(
    WriteOptions.Shredding,
    WriteOptions.Include,
    WriteOptions.Exclude,
    WriteOptions.Pin,
    WriteOptions.MaxShreddedColumns,
    WriteOptions.Layout,
    WriteOptions.BloomFilter,
    WriteOptions.Clustering,
    WriteOptions.ClusterBy,
    WriteOptions.Compression,
    WriteOptions.PartitionOverwrite,
    Schema,
    Mode
  )

  /** Entries of looking into files, beside those of reading. */
  val inspecting: Seq[OptionEntry[_]] = Seq(ResidualSample)

  /** Raises `INVALID_VARIANT_SHREDDED_OPTION` for the first of `entries` with a bad value. */
  def check(entries: Seq[OptionEntry[_]], options: CaseInsensitiveStringMap): Unit =
    entries.foreach(_.get(options))

  /** The page `docs/options.md`. */
  def documentation: String = {
    val introduction =
      """# Options
        |
        |The same words in Scala, SQL and Python; names are matched without regard to case. A value
        |that an option cannot have is refused. A default that begins with `spark.` is a setting of the
        |session.
        |
        |## Reading
        |
        |""".stripMargin
    val between =
      """
        |## Writing
        |
        |Beside these, every option that begins with `parquet.` goes to Parquet, such as
        |`parquet.block.size` (bytes of a row group), `parquet.page.size` and
        |`parquet.page.row.count.limit` (bytes and rows of a page, by which readers skip),
        |`parquet.dictionary.page.size`, `parquet.enable.dictionary#v.value` (of one column).
        |
        |""".stripMargin
    val ofFiles =
      """
        |## Looking into files
        |
        |Of the format [`variant-shredded-files`](tools.md), which takes those of reading too.
        |
        |""".stripMargin
    val ofSession =
      """
        |## Settings of the session
        |
        |`SET` and `spark.conf.set` change them for the queries that follow.
        |
        |""".stripMargin
    introduction + markdown(reading) + between + markdown(WriteOptions.All) +
      ofFiles + markdown(inspecting) + ofSession + markdown(settings)
  }

  /** The entries as a table. */
  def markdown(entries: Seq[OptionEntry[_]]): String = {
    def cell(text: String): String = text.replace("|", "\\|")
    val rows = entries.map { entry =>
      val cells = Seq(s"`${entry.name}`", entry.expected, entry.default, entry.doc)
      cells.map(cell).mkString("| ", " | ", " |")
    }
    (Seq("| option | values | default | meaning |", "|---|---|---|---|") ++ rows)
      .mkString("", "\n", "\n")
  }

  /** DDL that does not parse raises Spark's own error, which shows the place. */
  private def parseSchema(text: String): Option[StructType] =
    if (text.trim.startsWith("{")) {
      Try(DataType.fromJson(text)).toOption.collect { case schema: StructType => schema }
    } else {
      Some(StructType.fromDDL(text))
    }
}
