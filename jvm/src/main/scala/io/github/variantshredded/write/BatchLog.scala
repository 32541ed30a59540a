package io.github.variantshredded.write

import io.github.variantshredded.commit.{
  EnclosingTables,
  ExclusiveCommit,
  PendingCommits,
  StreamLog
}
import io.github.variantshredded.directory.{
  DataFiles,
  Directories,
  OtherTables,
  PartitionDirectories
}
import io.github.variantshredded.errors.{
  StreamErrors,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.spark.EmptyDirectories
import io.github.variantshredded.write.file.{ExistingLayout, NewestFiles}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.FileIndexOptions
import org.apache.spark.sql.execution.streaming.ManifestFileCommitProtocol
import org.apache.spark.sql.execution.streaming.runtime.StreamMetadata
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Lists the batches that a streaming query has committed to a directory: the log of Spark's own
 * file sink (`_spark_metadata`), which Spark's readers use too.
 *
 * If there is a log, only the files that it names belong to the table. A batch is one entry, so
 * that readers see all of a batch or nothing of it, whatever files failed attempts have left. Writes
 * use this class, and reads use [[StreamLog]].
 */
private[variantshredded] final class BatchLog private (
    root: Path,
    directory: Path,
    log: ContinuableSinkLog,
    hadoopConf: Configuration,
    options: CaseInsensitiveStringMap
) {

  private val ownerFile = new Path(directory, BatchLog.OwnerFile)

  /** Returns the number of the last batch that has been committed. */
  def latest: Option[Long] = log.getLatestBatchId()

  /**
   * Returns the newest files of the last entry that has some, at most so many as the layout is looked
   * for in; none if the log names no file.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the directory has been moved since, or has another host
   */
  def newestFiles: Seq[FileStatus] = {
    val newest = new NewestFiles(ExistingLayout.MaxCandidates)
    log.readLast { file =>
      newest.add(file.toFileStatus)
      true
    }
    // Readers cannot read files of two directories, or of two hosts, by one log. File systems may
    // spell the directory in their own way.
    lazy val spelled = root.getFileSystem(hadoopConf).getFileStatus(root).getPath
    newest.files.iterator
      .map(_.getPath)
      .find(file => !Directories.isIn(file, root) && !Directories.isIn(file, spelled))
      .foreach(file => throw StreamLog.moved(root, file))
    newest.files
  }

  /**
   * Returns the columns by which the directory is partitioned; None if the log names no file.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the directory has been moved since
   */
  def partitionColumns: Option[Seq[String]] = firstFile.map { status =>
    // The first batch finds out if only the host is another one.
    val file = Path.getPathWithoutSchemeAndAuthority(status.getPath)
    val above = Path.getPathWithoutSchemeAndAuthority(root)
    if (!Directories.isIn(file, above)) throw StreamLog.moved(root, status.getPath)
    PartitionFilter.directories(above, file).map(PartitionDirectories.columnOf)
  }

  private def firstFile: Option[FileStatus] = {
    var first = Option.empty[FileStatus]
    log.readLast { file =>
      first = Some(file.toFileStatus)
      false
    }
    first
  }

  /**
   * Checks that the batches in the log belong to the query that is about to add `batchId`: the
   * numbers of another query's batches do not show which batches of this query have been written.
   *
   * @return
   *   the number of the last batch in the log
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CONFLICTING_STREAMING_QUERY` if they do not, or if the query has written later batches before,
   *   `MISSING_STREAM_BATCHES` if batches between the last one and this one are missing,
   *   `UNSUPPORTED_FEATURE` if the log is new, and the directory has files
   */
  def claim(queryId: String, batchId: Long): Option[Long] = {
    val found = latest
    // After the entries: another query may claim a log without entries, and commit its first batch.
    val known = owningQuery
    found match {
      case Some(last) if known.contains(queryId) =>
        // A query goes on with its last batch or the next one.
        if (last > batchId)
          throw StreamErrors.olderCheckpoint(root.toString, last, batchId)
        // Entries without files may belong to a batch that was to continue an emptied log.
        if (last < batchId - 1 && firstFile.nonEmpty)
          throw StreamErrors.missingBatches(root.toString, last, batchId)
      case None if known.contains(queryId) => ()
      case None                            => takeWithoutEntries(queryId, batchId)
      // Spark's own sink has written the log: a query continues with its last batch or the next
      // one. Batch 0 may be the first one of another query.
      case Some(last) if known.isEmpty && (batchId == last + 1 || batchId == last && batchId > 0) =>
        takeWithEntries(queryId, batchId, last)
      case Some(last) =>
        throw StreamErrors.conflictingStream(root.toString, last)
    }
    found
  }

  /**
   * Claims a log that Spark's own sink has written, while no job commits: an overwrite may have
   * removed it since its entries were listed, or another query may have continued it.
   */
  private def takeWithEntries(queryId: String, batchId: Long, last: Long): Unit =
    ExclusiveCommit.alone(root, hadoopConf) {
      val now = latest
      if (now.forall(_ < last))
        throw StreamErrors.removedStreamLog(root.toString, batchId)
      if (!now.contains(last) || owningQuery.nonEmpty)
        throw StreamErrors.conflictingStream(root.toString, now.getOrElse(last))
      take(queryId)
    }

  /**
   * Claims a log without entries while no query commits a batch. The query that has claimed it
   * before, if there is one, has committed nothing.
   */
  private def takeWithoutEntries(queryId: String, batchId: Long): Unit =
    ExclusiveCommit.alone(root, hadoopConf) {
      val fs = root.getFileSystem(hadoopConf)
      // Another query may have committed its first batch since the entries were listed.
      latest.foreach(last => throw StreamErrors.conflictingStream(root.toString, last))
      if (owningQuery.isEmpty) checkNew(fs, batchId)
      else fs.delete(ownerFile, false)
      // A reader may have removed it.
      fs.mkdirs(directory)
      take(queryId)
    }

  /**
   * Checks a log that has neither entries nor a query. If an overwrite has removed the log since it
   * was looked for, opening it has created it again. Otherwise the files there are those of a first
   * batch that failed, by Spark's own sink.
   */
  private def checkNew(fs: FileSystem, batchId: Long): Unit =
    try
      if (batchId > 0 || StreamLog.mayHaveHadAnother(fs, root))
        BatchLog.refuseFiles(root, hadoopConf, options)
    catch {
      case e: VariantShreddedException =>
        removeIfEmpty()
        throw e
    }

  private def take(queryId: String): Unit =
    StreamMetadata.write(StreamMetadata(queryId), ownerFile, hadoopConf)

  private def owningQuery: Option[String] = BatchLog.owner(directory, hadoopConf)

  /** Removes the log if it has neither entries nor a query. */
  def removeIfEmpty(): Unit = {
    val _ = EmptyDirectories.remove(directory.getFileSystem(hadoopConf), directory)
  }

  /**
   * Returns Spark's commit protocol for streams, which commits a batch to this log.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `STREAM_LOG_REMOVED` if the log no longer exists
   */
  def committer(protocol: String, batchId: Long): FileCommitProtocol = {
    if (!log.isCurrent) {
      removeIfEmpty()
      throw StreamErrors.removedStreamLog(root.toString, batchId)
    }
    val committer = FileCommitProtocol.instantiate(protocol, batchId.toString, root.toString)
    committer match {
      case manifest: ManifestFileCommitProtocol => manifest.setupManifestOptions(log, batchId)
      case _                                    => ()
    }
    committer
  }
}

private[variantshredded] object BatchLog {

  /** The option with the number of the batch, in the options of the write that a sink starts. */
  val BatchOption = "__variant_shredded_batch"

  /** The option with the id of the query to which the batch belongs. */
  val QueryOption = "__variant_shredded_query"

  /** Returns the number of the batch that a write belongs to, if it is part of a stream. */
  def batchOf(options: CaseInsensitiveStringMap): Option[Long] =
    Option(options.get(BatchOption)).map(_.toLong)

  /**
   * Returns the log to which the batch of these options is added.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `STREAM_LOG_REMOVED` if the log no longer exists
   */
  def ofBatch(
      session: SparkSession,
      root: Path,
      hadoopConf: Configuration,
      options: CaseInsensitiveStringMap
  ): Option[BatchLog] = batchOf(options).map { batchId =>
    // Opening a log creates it, which would hide the files of a job that overwrote the directory.
    if (!exists(session, root, hadoopConf))
      throw StreamErrors.removedStreamLog(root.toString, batchId)
    open(session, root, hadoopConf, options)
  }

  // This file is in the directory of the log; the files of batches have numbers as names.
  private[write] val OwnerFile = "query"

  /** Returns the id of the query that has claimed the log in `directory`. */
  private[write] def owner(directory: Path, hadoopConf: Configuration): Option[String] =
    StreamMetadata.read(new Path(directory, OwnerFile), hadoopConf).map(_.id)

  /** Opens the log of a directory, and creates it if it does not exist. */
  def open(
      session: SparkSession,
      root: Path,
      hadoopConf: Configuration,
      options: CaseInsensitiveStringMap
  ): BatchLog = {
    val directory = StreamLog.of(session, root, root.getFileSystem(hadoopConf))
    val query = Option(options.get(QueryOption))
    val retention = WriteOptions.Retention.get(options)
    val log = new ContinuableSinkLog(session, directory, query, retention, hadoopConf)
    new BatchLog(root, directory, log, hadoopConf, options)
  }

  /** Returns whether a directory has a log, even if the session ignores logs. */
  def exists(session: SparkSession, root: Path, hadoopConf: Configuration): Boolean = {
    val fs = root.getFileSystem(hadoopConf)
    fs.exists(StreamLog.of(session, root, fs))
  }

  /**
   * Refuses a directory with files for a new log, which would not name them, and one that is a
   * table of another format. Files that no reader looks for, such as the checkpoint of the query, may
   * be there.
   *
   * @param options
   *   those of the table and of the query: readers may look into all directories
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def refuseFiles(
      root: Path,
      hadoopConf: Configuration,
      options: CaseInsensitiveStringMap
  ): Unit = {
    val fs = root.getFileSystem(hadoopConf)
    val isRecursive = options.getBoolean(FileIndexOptions.RECURSIVE_FILE_LOOKUP, false)
    val files =
      if (isRecursive) DataFiles.below(fs, root, OtherTables.refuse)
      else DataFiles.read(fs, root, OtherTables.refuse)
    if (files.nonEmpty) {
      throw VariantShreddedErrors.unsupported(
        s"Writing a stream to the directory '$root', which has files that no stream wrote,",
        "Readers would not see these any more. Write to a new directory, or empty this one before."
      )
    }
  }

  /**
   * Refuses to add files to a directory with a log, or to replace some of the files there.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def refuse(session: SparkSession, root: Path, hadoopConf: Configuration): Unit =
    if (hasLog(session, root, hadoopConf))
      throw VariantShreddedErrors.unsupported(
        s"Adding files to the directory '$root', or replacing some of those in it, while it has " +
          "the log of a streaming query,",
        "Readers see no file that the query did not write. Overwrite the whole directory, or " +
          "write to another one."
      )

  /**
   * Refuses any change to the directory of a partition of a directory with a log, unless readers
   * ignore the log. Only an overwrite or a truncation of that whole directory removes the log.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def refusePartition(session: SparkSession, root: Path, hadoopConf: Configuration): Unit =
    if (EnclosingTables.isPartition(root))
      EnclosingTables
        .above(root)
        .find { table =>
          def isRead = hasLog(session, table, hadoopConf) &&
            !PendingCommits.of(table, hadoopConf).removesLog
          Directories.ifAllowed(table)(isRead).contains(true)
        }
        .foreach { table =>
          throw VariantShreddedErrors.unsupported(
            s"Changing the files of the directory '$root' while '$table', of which it is a " +
              "partition, has the log of a streaming query,",
            "Readers see no file that the query did not write, and need those that it wrote. " +
              "Overwrite the whole directory, or write to another one."
          )
        }

  /** Returns whether a directory has a log, other than an empty one that a reader has left. */
  private def hasLog(session: SparkSession, root: Path, hadoopConf: Configuration): Boolean =
    StreamLog.find(session, root, hadoopConf).exists(!StreamLog.removeEmptied(_, root, hadoopConf))
}
