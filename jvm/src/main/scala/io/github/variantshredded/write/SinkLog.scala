package io.github.variantshredded.write

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.ManifestFileCommitProtocol
import org.apache.spark.sql.execution.streaming.runtime.StreamMetadata
import org.apache.spark.sql.execution.streaming.sinks.{FileStreamSink, SinkFileStatus}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * What a streaming query has committed to a directory: the log of Spark's own file sink
 * (`_spark_metadata`), which Spark's readers know too.
 *
 * Where there is a log, only the files that it names belong to the table. A batch is one entry, so
 * that it is there as a whole or not at all, whatever files failed attempts leave.
 */
private[variantshredded] final class SinkLog private (
    root: Path,
    directory: Path,
    log: ContinuedLog,
    hadoopConf: Configuration
) {

  private val owner = new Path(directory, SinkLog.OwnerFile)

  /** The last batch that has been committed. */
  def latest: Option[Long] = log.getLatestBatchId()

  /** The files of the last batch, or if it has none, of all. */
  def latestFiles: Seq[FileStatus] = {
    val ofLatest = log.getLatest().fold(Array.empty[SinkFileStatus])(_._2)
    (if (ofLatest.isEmpty) log.allFiles() else ofLatest).toSeq.map(_.toFileStatus)
  }

  /** The columns that the directory is partitioned by; None as long as it has no file. */
  def partitionColumns: Option[Seq[String]] =
    log.allFiles().headOption.map { file =>
      PartitionFilter.directories(root, file.toFileStatus.getPath).map { name =>
        ExternalCatalogUtils.unescapePathName(name.takeWhile(_ != '='))
      }
    }

  /**
   * Makes sure that the batches in the log are those of the query that is about to add `batchId`:
   * numbers of another query's batches say nothing about what has been written of this one.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CONFLICTING_STREAMING_QUERY` if they are not, `MISSING_STREAM_BATCHES` if some of those
   *   between are not there
   */
  def claim(queryId: String, batchId: Long): Unit = {
    def take(): Unit = StreamMetadata.write(StreamMetadata(queryId), owner, hadoopConf)
    val known = StreamMetadata.read(owner, hadoopConf).map(_.id)
    latest match {
      case Some(last) if known.contains(queryId) =>
        // Entries without a file may be those of a batch that was to continue an emptied log.
        if (last < batchId - 1 && log.allFiles().nonEmpty)
          throw VariantShreddedErrors.missingBatches(root.toString, last, batchId)
      case None if known.contains(queryId) => ()
      case None                            =>
        if (known.isDefined) owner.getFileSystem(hadoopConf).delete(owner, false)
        take()
      // Written by Spark's own sink: a query comes back with its last batch or the next one.
      case Some(last) if known.isEmpty && (batchId == last || batchId == last + 1) => take()
      case Some(last)                                                              =>
        throw VariantShreddedErrors.conflictingStream(root.toString, last)
    }
  }

  /** Whether the log is still the one that the query has claimed. */
  private def isOf(queryId: String): Boolean =
    StreamMetadata.read(owner, hadoopConf).exists(_.id == queryId)

  /** Spark's commit protocol for streams, about to commit a batch to this log. */
  def committer(protocol: String, batchId: Long): FileCommitProtocol = {
    val committer = FileCommitProtocol.instantiate(protocol, batchId.toString, root.toString)
    committer match {
      case manifest: ManifestFileCommitProtocol => manifest.setupManifestOptions(log, batchId)
      case _                                    => ()
    }
    committer
  }
}

private[variantshredded] object SinkLog {

  /** The number of the batch, among the options of the write that a streaming sink starts. */
  val BatchOption = "__variant_shredded_batch"

  /** The id of the query that the batch is of, likewise. */
  val QueryOption = "__variant_shredded_query"

  /** The batch that a write belongs to, if it is one of a stream. */
  def batchOf(options: CaseInsensitiveStringMap): Option[Long] =
    Option(options.get(BatchOption)).map(_.toLong)

  /**
   * The log that the batch of these options is about to be added to.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `STREAM_LOG_REMOVED` if the log is not there any more
   */
  def ofBatch(
      session: SparkSession,
      root: Path,
      hadoopConf: Configuration,
      options: CaseInsensitiveStringMap
  ): Option[SinkLog] = batchOf(options).map { batchId =>
    // To open it would make it, and so hide the files of who has overwritten the directory.
    if (!exists(session, root, hadoopConf))
      throw VariantShreddedErrors.removedStreamLog(root.toString, batchId)
    open(session, root, hadoopConf, options)
  }

  // Beside the batches, whose files have numbers for names.
  private[write] val OwnerFile = "query"

  /** The log of a directory, made if it is not there. */
  def open(
      session: SparkSession,
      root: Path,
      hadoopConf: Configuration,
      options: CaseInsensitiveStringMap
  ): SinkLog = {
    val directory = directoryOf(session, root, root.getFileSystem(hadoopConf))
    val log = new ContinuedLog(session, directory, WriteOptions.Retention.get(options), hadoopConf)
    val opened = new SinkLog(root, directory, log, hadoopConf)
    log.isCurrent = () => Option(options.get(QueryOption)).forall(opened.isOf)
    opened
  }

  /** Whether a directory has a log, also where the session is told to ignore it. */
  def exists(session: SparkSession, root: Path, hadoopConf: Configuration): Boolean = {
    val fs = root.getFileSystem(hadoopConf)
    fs.exists(directoryOf(session, root, fs))
  }

  /** Where the log of a directory is, if it has one that counts. */
  def find(session: SparkSession, root: Path, hadoopConf: Configuration): Option[Path] =
    if (session.sessionState.conf.fileStreamSinkMetadataIgnored) None
    else {
      val fs = root.getFileSystem(hadoopConf)
      Some(directoryOf(session, root, fs)).filter(fs.exists)
    }

  private def directoryOf(session: SparkSession, root: Path, fs: FileSystem): Path =
    FileStreamSink.getMetadataLogPath(fs, root, session.sessionState.conf)
}
