package io.github.variantshredded.errors

/**
 * Makes the exceptions of all error conditions, each with its SQLSTATE. No other code makes them.
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
        "it. Remove it from the file. If it has several values, one after another or as the " +
        "elements of an array, the option records says so.",
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

  /** Returns the error for a streaming query that would continue the batches of another query. */
  def conflictingStream(path: String, latest: Long): VariantShreddedException =
    new VariantShreddedException(
      "CONFLICTING_STREAMING_QUERY",
      s"The directory '$path' has the batches of another streaming query, up to number $latest. " +
        "Batches of this query with the same numbers would be skipped. Start it with the checkpoint " +
        "that wrote the directory, or write to another directory.",
      "55000"
    )

  /** Returns the error for a query whose checkpoint is older than the log of its directory. */
  def olderCheckpoint(path: String, latest: Long, next: Long): VariantShreddedException =
    new VariantShreddedException(
      "CONFLICTING_STREAMING_QUERY",
      s"The directory '$path' has the batches of this query up to number $latest, and its checkpoint " +
        s"goes on with number $next, as an older copy of the checkpoint does. The rows of this batch " +
        "would be skipped. Start the query with the checkpoint that wrote the directory, or write " +
        "to another directory with a new checkpoint.",
      "55000"
    )

  /**
   * Returns the error for a stream whose checkpoint has its offsets, and not the files that they
   * count.
   */
  def lostSourceLog(checkpoint: String, known: Long, latest: Long): VariantShreddedException =
    new VariantShreddedException(
      "STREAM_SOURCE_LOG_MISSING",
      s"The query has read $known entries of the log of files in '$checkpoint', which has $latest. " +
        "New files would be skipped. Restore the log, or start the query with a new checkpoint.",
      "55000"
    )

  /** Returns the error for a job that has waited too long for the commits of other jobs. */
  def concurrentWrite(path: String, other: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': other jobs have been committing there for half an hour, the last " +
        s"one seen by $other. Nothing was written. Run the job again when they have ended.",
      "40001"
    )

  /**
   * Returns the error for a job whose commit was undone by another job, which regarded it as dead.
   *
   * @param mayHaveEnded
   *   whether the other job may have finished the commit, and later ones may have replaced its rows
   */
  def commitTakenOver(
      path: String,
      mayHaveEnded: Boolean = false,
      cause: Throwable = null
  ): VariantShreddedException = {
    val (ended, remedy) =
      if (mayHaveEnded)
        (
          "undid its commit, or finished it",
          "See which rows are there before you run the job again."
        )
      else ("undid its commit", "Run the job again.")
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': this process was suspended for more than a minute, so that " +
        s"another job regarded it as ended, and $ended. $remedy",
      "40001",
      cause = cause
    )
  }

  /** Returns the error for a streaming query some of whose batches are missing in its directory. */
  def missingBatches(path: String, latest: Long, next: Long): VariantShreddedException =
    new VariantShreddedException(
      "MISSING_STREAM_BATCHES",
      s"The directory '$path' has the batches of this query up to number $latest, and number $next " +
        "is the next one: the rows of those between would be missing. Restore the log of the " +
        "directory, or write to another directory. Write to another one too if Spark has " +
        "repartitioned the query's state offline, which takes the number of a batch without rows.",
      "55000"
    )

  /**
   * Returns the error for a batch of a streaming query whose directory was cleared in the meantime.
   */
  def removedStreamLog(path: String, batch: Long): VariantShreddedException =
    new VariantShreddedException(
      "STREAM_LOG_REMOVED",
      s"The directory '$path' was truncated or overwritten while batch $batch of a streaming query " +
        "was being written to it, so the batch was given up. Start the query again, and it writes " +
        "the batch anew. If the directory was overwritten, write to a new one.",
      "55000"
    )

  /**
   * Returns the error for a file that a streaming query has chosen, and that was deleted before it
   * was read.
   */
  def missingStreamFile(path: String): VariantShreddedException =
    new VariantShreddedException(
      "STREAM_FILE_MISSING",
      s"The file '$path' belongs to the next batch of a streaming query, but it does not exist any " +
        "more. To go on without its rows, start the query with the option ignoreMissingFiles=true.",
      "55000"
    )

  /** Returns the error for a second streaming query with the checkpoint of a first. */
  def sharedCheckpoint(checkpoint: String, entry: Long): VariantShreddedException =
    new VariantShreddedException(
      "CONFLICTING_STREAMING_QUERY",
      s"Another streaming query has written entry $entry of the log '$checkpoint'. Give each query " +
        "a checkpointLocation of its own.",
      "55000"
    )

  /**
   * Returns the error for a job whose tasks move files before it commits, if another job replaced
   * them.
   */
  def replacedBeforeCommit(path: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': another job has replaced files of this one, which are in place " +
        "before the commit if mapreduce.fileoutputcommitter.algorithm.version is 2. Run the job " +
        "again, or with version 1.",
      "40001"
    )

  /**
   * Returns the error for a job some of whose files were removed before it committed, with its
   * directory or without.
   */
  def directoryReplaced(path: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot commit to '$path': files of the job are gone. The directory has been removed or " +
        "replaced since the job began, or another job has deleted '_temporary' there. " +
        "Run the job again.",
      "40001"
    )

  /**
   * Returns the error for a reader that cannot list files because they change during each attempt.
   */
  def commitsWhileListing(path: String, attempts: Int): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot list the files of '$path': jobs committed there during each of $attempts attempts. " +
        "Run the query again when fewer jobs write to the directory.",
      "40001"
    )

  /** Returns the error for a reader of a file that a job is replacing by a directory. */
  def fileBeingReplaced(path: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot list the files of '$path': a job is replacing the file of this name by a directory, or " +
        "has died while it did so. Run the query again. If no job writes there, the next save to the " +
        "path gives the file its name back first.",
      "40001"
    )

  /**
   * Returns the error for a job that was to replace a file by a directory while another one does
   * so.
   */
  def fileReplacedByTwo(path: String, aside: String): VariantShreddedException =
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot replace the file '$path' by a directory: another job is doing so, or has died while " +
        s"it did so, and has put the old file aside as '$aside'. Nothing was written. Run the job " +
        "again when the other one has ended. If no job writes there, compare the two files, and " +
        "delete one.",
      "40001"
    )

  /**
   * Returns the error for a file that another job has replaced by a directory, or is replacing.
   *
   * @param aside
   *   the name that the file has now, if this job has put it aside
   */
  def fileReplaced(path: String, aside: Option[String] = None): VariantShreddedException = {
    val kept = aside.fold("") { name =>
      s" The former file has the name '$name' now: delete it if nobody needs its rows."
    }
    new VariantShreddedException(
      "CONCURRENT_WRITE",
      s"Cannot replace the file '$path' by a directory: another job has replaced the file while " +
        s"this job ran, or is replacing it. Nothing was written. Run the job again.$kept",
      "40001"
    )
  }

  /** Returns the error for files that could not be deleted after others of the same commit were. */
  def replacedFilesLeft(path: String, cause: Throwable): VariantShreddedException =
    new VariantShreddedException(
      "FILE_SYSTEM_ERROR",
      s"A commit to '$path' has taken effect, and only a part of the files that it replaces could be " +
        s"deleted: ${cause.getMessage} Readers of this source ignore the other files. Each write to " +
        "the directory first deletes them, and fails as long as it cannot. Make them deletable, or " +
        "delete them.",
      "58030",
      cause = cause
    )

  /** Returns the error for a commit that could not be finished and perhaps not be undone. */
  def commitInDoubt(path: String, cause: Throwable): VariantShreddedException =
    new VariantShreddedException(
      "FILE_SYSTEM_ERROR",
      s"A commit to '$path' could not delete a file that it replaces (${cause.getMessage}), and may " +
        "have taken effect nevertheless, because the file system did not answer or another job has " +
        "taken it over. See which rows the directory has before you run the job again.",
      "58030",
      cause = cause
    )

  /**
   * Returns the error for a damaged list of the files that a commit replaces, as after a power
   * failure.
   */
  def lostNote(note: String, cause: Throwable = null): VariantShreddedException =
    new VariantShreddedException(
      "CORRUPT_COMMIT_NOTE",
      s"The file '$note', in which an overwrite has listed the files that it replaces, is damaged, " +
        "so that old files cannot be told from new ones. Compare the files by their names and times, " +
        "delete the old ones, then this file.",
      "58030",
      cause = cause
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
