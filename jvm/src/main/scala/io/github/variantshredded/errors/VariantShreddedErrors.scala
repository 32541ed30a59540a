package io.github.variantshredded.errors

/**
 * Makes the exceptions of all error conditions, each with its SQLSTATE, except those that
 * [[CommitErrors]] and [[StreamErrors]] make. No other code makes any.
 */
object VariantShreddedErrors {

  /** Returns the error for bytes that are not a valid Variant by the Variant binary encoding. */
  def malformedVariant(
      reason: String,
      location: ErrorLocation = ErrorLocation()
  ): VariantShreddedException =
    new VariantShreddedException("MALFORMED_VARIANT", reason, "22023", location)

  /**
   * Returns the error for a value or metadata that would become larger than the limit when written.
   */
  def variantSizeLimit(limit: Int): VariantShreddedException =
    new VariantShreddedException(
      "VARIANT_SIZE_LIMIT",
      s"A Variant cannot be larger than $limit bytes.",
      "22023"
    )

  /** Returns the error for a Parquet group that is not a Variant by the shredding spec. */
  def invalidShreddingSchema(
      reason: String,
      location: ErrorLocation = ErrorLocation()
  ): VariantShreddedException =
    new VariantShreddedException("INVALID_VARIANT_SHREDDING_SCHEMA", reason, "22023", location)

  /**
   * Returns the error for values in `value` and `typed_value` that the spec does not allow
   * together.
   */
  def invalidShreddedValue(
      reason: String,
      location: ErrorLocation = ErrorLocation()
  ): VariantShreddedException =
    new VariantShreddedException("INVALID_SHREDDED_VARIANT", reason, "22023", location)

  /** Returns the error for a damaged Parquet file, such as corrupt pages or impossible sizes. */
  def corruptFile(
      reason: String,
      location: ErrorLocation,
      cause: Throwable = null
  ): VariantShreddedException =
    new VariantShreddedException("CORRUPT_PARQUET_FILE", reason, "22023", location, cause)

  /**
   * Returns the error for a file whose reading needs more memory or stack than there is. The fatal
   * error is not its cause, because Spark would end the executor then.
   */
  def lackOfMemory(what: String, lack: Error, location: ErrorLocation): VariantShreddedException = {
    val name = lack.getClass.getSimpleName
    val error =
      corruptFile(s"$what: it needs more memory or stack than there is ($name)", location)
    error.addSuppressed(lack)
    error
  }

  /**
   * Returns the error for a Parquet file that may be valid but has something that is not supported
   * here.
   */
  def unreadableFile(
      reason: String,
      location: ErrorLocation,
      cause: Throwable = null
  ): VariantShreddedException =
    new VariantShreddedException(
      "UNSUPPORTED_PARQUET_FILE",
      s"Cannot read the file: $reason",
      "0A000",
      location,
      cause
    )

  /**
   * Returns the error for a file that the file system failed to read, after all of its own
   * attempts.
   */
  def fileSystemFailed(
      reason: String,
      location: ErrorLocation,
      cause: Throwable
  ): VariantShreddedException =
    new VariantShreddedException(
      "FILE_SYSTEM_ERROR",
      s"The file system failed to read the file, which may be correct: $reason",
      "58030",
      location,
      cause
    )

  /**
   * Returns the error for an object that was replaced while other tasks may have read the old one.
   */
  def replacedFile(location: ErrorLocation): VariantShreddedException =
    new VariantShreddedException(
      "FILE_SYSTEM_ERROR",
      "The file was replaced after the query had listed it. The query reads the file in several " +
        "splits, which could return rows of both. Create the DataFrame again, or run REFRESH TABLE if " +
        "it reads a table of the catalog, and run the query.",
      "58030",
      location
    )

  /**
   * Returns the error for a text in a JSON file that is not one JSON value.
   *
   * @param text
   *   the beginning of the text, which is shown on one line
   */
  def malformedJson(
      text: String,
      reason: String,
      location: ErrorLocation
  ): VariantShreddedException =
    new VariantShreddedException(
      "MALFORMED_JSON",
      s"The text '${onOneLine(text)}' is not JSON: $reason $OtherThanFail",
      "22032",
      location
    )

  /** Returns the error for a JSON value whose Variant would be larger than the limit. */
  def jsonSizeLimit(text: String, limit: Int, location: ErrorLocation): VariantShreddedException =
    new VariantShreddedException(
      "VARIANT_SIZE_LIMIT",
      s"The text '${onOneLine(text)}' is JSON, but its Variant would be larger than $limit bytes. " +
        OtherThanFail,
      "22023",
      location
    )

  /** Returns the error for a text in a JSON file that is too long to be held in memory. */
  def jsonTextTooLong(limit: Int, location: ErrorLocation): VariantShreddedException =
    new VariantShreddedException(
      "VARIANT_SIZE_LIMIT",
      s"A text has more than $limit bytes, of which no Variant can be made, and no option skips " +
        "it. Remove it from the file. If the text holds several values, set the option records to " +
        "values or array.",
      "22023",
      location
    )

  private final val OtherThanFail =
    "The option malformed=\"null\" writes NULL for such texts, and malformed=\"keep\" writes them " +
      "to a column of their own."

  private def onOneLine(text: String): String =
    text.replaceAll("[\\p{Cntrl}\u0085\u2028\u2029]+", " ").trim

  /** Returns the error for an option with an invalid value. */
  def invalidOption(name: String, value: String, expected: String): VariantShreddedException =
    new VariantShreddedException(
      "INVALID_VARIANT_SHREDDED_OPTION",
      s"Option '$name' is '$value', expected $expected.",
      "22023"
    )

  /**
   * Returns the error for an option that does not exist.
   *
   * @param meant
   *   an option with a similar name
   * @param known
   *   the options of the format; empty if it also takes those of Spark's file sources
   */
  def unknownOption(
      name: String,
      meant: Option[String],
      known: Seq[String] = Seq.empty
  ): VariantShreddedException = {
    val others =
      if (known.nonEmpty) s"the options of this format are ${known.mkString(", ")}."
      else
        "neither this source nor Spark has an option of this name. docs/options.md lists the options."
    val hint = meant.fold(s": $others")(similar => s"; did you mean '$similar'?")
    new VariantShreddedException(
      "INVALID_VARIANT_SHREDDED_OPTION",
      s"Unknown option '$name'$hint",
      "22023"
    )
  }

  /** Returns the error for a shredding schema in text form that cannot be parsed or used. */
  def invalidShreddingText(text: String, reason: String): VariantShreddedException =
    new VariantShreddedException(
      "INVALID_SHREDDING_SPECIFICATION",
      s"Cannot use the shredding specification '$text': $reason",
      "42601"
    )

  /** Returns the error for rows that are added to a directory with other partition columns. */
  def partitioningMismatch(
      path: String,
      asked: Seq[String],
      existing: Seq[String]
  ): VariantShreddedException = {
    def list(columns: Seq[String]): String = columns.mkString("[", ", ", "]")
    new VariantShreddedException(
      "PARTITIONING_MISMATCH",
      s"Cannot add rows partitioned by ${list(asked)} to '$path', which is partitioned by " +
        s"${list(existing)}.",
      "42000"
    )
  }

  /**
   * Returns the error for rows that are added to files if a column is a Variant in only one of
   * them.
   */
  def columnTypeMismatch(
      column: String,
      isVariant: Boolean,
      file: String
  ): VariantShreddedException = {
    val (rows, files) =
      if (isVariant) ("a Variant", "not a Variant") else ("not a Variant", "a Variant")
    new VariantShreddedException(
      "COLUMN_TYPE_MISMATCH",
      s"Cannot add rows whose column '$column' is $rows to files in which it is $files: no schema " +
        "could read both. Convert the column, give it another name, or write to another directory.",
      "42000",
      ErrorLocation(file = Some(file), column = Some(column))
    )
  }

  /** Returns the error for an SQL function that is called with an invalid argument. */
  def functionArgument(function: String, reason: String): VariantShreddedException =
    new VariantShreddedException(
      "INVALID_VARIANT_FUNCTION_ARGUMENT",
      s"The function $function $reason.",
      "22023"
    )

  /**
   * Returns the error for a feature that users may expect of a Spark source and that is not
   * supported.
   */
  def unsupported(
      what: String,
      instead: String,
      cause: Throwable = null
  ): VariantShreddedException =
    new VariantShreddedException(
      "UNSUPPORTED_FEATURE",
      s"$what is not supported. $instead",
      "0A000",
      cause = cause
    )
}
