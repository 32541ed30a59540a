package io.github.variantshredded.json

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.{OptionEntry, OptionWithDefault}
import io.github.variantshredded.read.options.{OptionNames, ReadOptions}
import org.apache.spark.sql.types.{StringType, StructField, StructType, VariantType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Holds the options of a read of JSON files.
 *
 * @param column
 *   name of the Variant column
 * @param malformed
 *   `fail`, `null` or `keep`: what becomes of a text that is not one JSON value
 * @param malformedColumn
 *   name of the column that keeps such texts, if they are kept
 * @param records
 *   the form of the files; None if each file tells it
 */
private[variantshredded] final case class JsonOptions(
    column: String,
    malformed: String,
    malformedColumn: String,
    records: Option[JsonForm]
) {

  def fails: Boolean = malformed == JsonOptions.Fail

  /** Returns whether texts that are not JSON are kept, in a column of their own. */
  def keeps: Boolean = malformed == JsonOptions.Keep

  /** Returns the columns that are read from the files. */
  def schema: StructType = {
    val kept = Option.when(keeps)(StructField(malformedColumn, StringType))
    StructType(StructField(column, VariantType) +: kept.toSeq)
  }
}

private[variantshredded] object JsonOptions {
  private[json] final val Fail = "fail"
  private final val Keep = "keep"
  private final val Auto = "auto"

  private val Column: OptionWithDefault[String] =
    name("column", "v", "The name of the Variant column.")

  private val Malformed: OptionWithDefault[String] = OptionWithDefault.choice(
    "malformed",
    Fail,
    Seq(Fail, "null", Keep),
    "What happens to a text that is not exactly one JSON value: `fail` ends the query with an error " +
      "that has the file and the number of the line, `null` gives NULL, and `keep` gives NULL and " +
      "the text in `malformedColumn`."
  )

  private val MalformedColumn: OptionWithDefault[String] = name(
    "malformedColumn",
    "_corrupt_record",
    "The name of the column that `malformed=keep` adds."
  )

  private val Records: OptionWithDefault[String] = OptionWithDefault.choice(
    "records",
    Auto,
    Auto +: JsonForm.All.map(_.name),
    "The form of the files: `lines` is one value on each line, `array` is one array whose elements " +
      "are the values, `values` is one value after another on any number of lines. `auto` detects " +
      "the form of each file from its first line."
  )

  private val IgnoreCorruptFiles: OptionEntry[Boolean] = OptionEntry.booleanOfSession(
    ReadOptions.IgnoreCorruptFiles.name,
    "spark.sql.files.ignoreCorruptFiles",
    "Whether the rest of a file that cannot be read or decompressed is skipped. A text that is not " +
      "JSON is no such error: `malformed` is for it."
  )

  private val RecursiveFileLookup: OptionEntry[Boolean] = OptionWithDefault.boolean(
    ReadOptions.RecursiveFileLookup.name,
    ReadOptions.RecursiveFileLookup.default,
    "Whether the files of all subdirectories are read. There are no partition columns then."
  )

  private val BasePath: OptionEntry[String] = OptionEntry.text(
    ReadOptions.BasePath.name,
    s"${ReadOptions.BasePath.defaultText}; `load_json` and `load` set it for a glob that names " +
      "partitions, such as `raw/day=*`, and `load` also for several partitions",
    ReadOptions.BasePath.expected,
    ReadOptions.BasePath.doc
  )

  private val IgnoreInvalidPartitionPaths: OptionEntry[Boolean] = OptionEntry.booleanOfSession(
    "ignoreInvalidPartitionPaths",
    "spark.sql.files.ignoreInvalidPartitionPaths",
    "Whether the partition directories below the given paths may have different parents, such as " +
      "`a/day=1` and `b/day=2` for the paths `a` and `b`. With `false`, such paths are an " +
      "error."
  )

  /** The options of the format, in the order of the documentation. */
  val All: Seq[OptionEntry[_]] = Seq(
    Column,
    Malformed,
    MalformedColumn,
    Records,
    IgnoreCorruptFiles,
    ReadOptions.IgnoreMissingFiles,
    RecursiveFileLookup,
    ReadOptions.PathGlobFilter,
    ReadOptions.ModifiedAfter,
    ReadOptions.ModifiedBefore,
    ReadOptions.TimeZone,
    BasePath,
    IgnoreInvalidPartitionPaths
  )

  private def name(option: String, default: String, doc: String): OptionWithDefault[String] =
    OptionWithDefault(option, default, default, "a name", doc)(text =>
      Some(text).filter(_.trim.nonEmpty)
    )

  /**
   * Reads the options, which do not include the paths.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION`
   */
  def apply(options: CaseInsensitiveStringMap): JsonOptions = {
    OptionNames.checkOnly(options, All)
    ReadOptions.check(All, options)
    val read = JsonOptions(
      column = Column.of(options),
      malformed = Malformed.of(options),
      malformedColumn = MalformedColumn.of(options),
      records = JsonForm.All.find(_.name == Records.of(options))
    )
    if (!read.keeps) MalformedColumn.get(options).foreach { name =>
      throw VariantShreddedErrors.invalidOption(
        MalformedColumn.name,
        name,
        "the option malformed=keep beside it, without which there is no such column"
      )
    }
    if (read.column.equalsIgnoreCase(read.malformedColumn) && read.keeps)
      throw VariantShreddedErrors.invalidOption(
        MalformedColumn.name,
        read.malformedColumn,
        "another name than that of the Variant column"
      )
    read
  }
}
