package io.github.variantshredded.errors

/** Makes the exceptions for streaming queries that read from or write to this source. */
object StreamErrors {

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

  /** Returns the error for a second streaming query with the checkpoint of a first. */
  def sharedCheckpoint(checkpoint: String, entry: Long): VariantShreddedException =
    new VariantShreddedException(
      "CONFLICTING_STREAMING_QUERY",
      s"Another streaming query has written entry $entry of the log '$checkpoint'. Give each query " +
        "a checkpointLocation of its own.",
      "55000"
    )

  /**
   * Returns the error for a stream whose checkpoint has its offsets, and not the files that they
   * count.
   */
  def lostSourceLog(checkpoint: String, known: Long, latest: Long): VariantShreddedException =
    new VariantShreddedException(
      "STREAM_SOURCE_LOG_MISSING",
      s"The query has read $known entries of the file log '$checkpoint', but the log has only " +
        s"$latest. New files would be skipped. Restore the log, or start the query with a new " +
        "checkpoint.",
      "55000"
    )

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
}
