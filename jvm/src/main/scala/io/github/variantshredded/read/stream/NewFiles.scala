package io.github.variantshredded.read.stream

import scala.collection.concurrent.TrieMap
import scala.jdk.CollectionConverters._

import io.github.variantshredded.commit.{
  CommittedFileIndex,
  EnclosingTables,
  PathMatches,
  StreamLog
}
import io.github.variantshredded.directory.Directories
import io.github.variantshredded.errors.{StreamErrors, VariantShreddedErrors}
import io.github.variantshredded.read.options.{ReaderConf, ReadSettings}
import io.github.variantshredded.spark.{PathPatterns, ReadFilesCleaner}
import org.apache.hadoop.fs.{FileStatus, GlobFilter, Path}
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.apache.spark.sql.execution.datasources.{
  DataSource,
  FileIndexOptions,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.streaming.runtime.{FileStreamOptions, FileStreamSourceLog}
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSource.{FileEntry, SeenFilesMap}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Keeps the files that a streaming query has read from a directory, and those that it has not read
 * yet.
 *
 * The files of each batch are an entry in a log in the query's checkpoint. The log is that of
 * Spark's file stream source, so each of the two sources can continue a query of the other. An
 * entry is written before the query writes the offsets of the batch. If the query fails in between,
 * the entry becomes a part of its next batch.
 *
 * @param path
 *   a directory, or a pattern of paths
 * @param checkpoint
 *   the directory of the log
 */
private[read] final class NewFiles(
    session: classic.SparkSession,
    path: String,
    options: CaseInsensitiveStringMap,
    checkpoint: String
) {
  private val parameters = options.asCaseSensitiveMap.asScala.toMap
  private val settings = new FileStreamOptions(parameters)
  private val hadoopConf = ReaderConf.hadoop(session, options)
  private val root = Directories.qualified(new Path(path), hadoopConf)
  private val isPattern =
    options.getBoolean(DataSource.GLOB_PATHS_KEY, true) && PathPatterns.isPattern(path)
  private val matches =
    new PathMatches(Seq(path), hadoopConf, patterns = isPattern, mayBeNone = true)
  private val nameFilter =
    Option(options.get(FileIndexOptions.PATH_GLOB_FILTER)).map(new GlobFilter(_))
  private val cleaner =
    new ReadFilesCleaner(root.getFileSystem(hadoopConf), root, settings, hadoopConf)

  private val limit: Option[BatchLimit] = settings.maxFilesPerTrigger
    .map(BatchLimit.Files(_): BatchLimit)
    .orElse(settings.maxBytesPerTrigger.map(BatchLimit.Bytes(_)))

  // With the newest files first, old files are new for the query until it reaches them.
  private val maxAge =
    if (settings.latestFirst && limit.isDefined) Long.MaxValue else settings.maxFileAgeMs

  private val log = new FileStreamSourceLog(FileStreamSourceLog.VERSION, session, checkpoint)
  private var last = log.getLatestBatchId().getOrElse(-1L)

  private val seen = new SeenFilesMap(maxAge, settings.fileNameOnly)
  log.restore().foreach(entry => seen.add(entry.sparkPath, entry.timestamp))
  seen.purge()

  /** Files that were listed for an earlier batch, and were more than its limit. */
  private var unread = Seq.empty[FileStatus]

  /** The only files that the query is to read; None if it reads all that come. */
  private var fixed = Option.empty[Seq[FileStatus]]

  /** For the last entry of each batch that was planned, the last entry of the batch before. */
  private val batches = TrieMap.empty[Long, Long]

  /** Lists the files now; only these will be read. */
  def fix(): Unit = synchronized { fixed = Some(list()) }

  def readLimit: ReadLimit = limit.fold(ReadLimit.allAvailable())(_.readLimit)

  /**
   * Adds the files of the next batch to the log, if there are new files.
   *
   * @param start
   *   the last entry that the query has read; -1 if it has read none
   * @param limit
   *   how many files the batch may have
   * @return
   *   the number of the last entry; -1 if the log is empty
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `STREAM_SOURCE_LOG_MISSING` if the log lacks entries that the query has read
   */
  def next(start: Long, limit: ReadLimit): Long = synchronized {
    if (start > last) throw StreamErrors.lostSourceLog(checkpoint, start + 1, last + 1)
    val candidates = if (unread.nonEmpty) unread else fixed.getOrElse(list()).filter(isNew)
    val (files, others) = BatchLimit.of(limit).fold((candidates, Seq.empty[FileStatus])) { most =>
      val (files, others) = most.take(candidates)
      val isKept = fixed.isEmpty && !settings.latestFirst &&
        most.share(others) >= settings.discardCachedInputRatio
      (files, if (isKept) others.take(settings.maxCachedFiles) else Nil)
    }
    unread = others
    if (files.nonEmpty) add(files)
    last
  }

  /**
   * Returns the files of the entries after `from`, up to and including `to`, whose names match
   * `pathGlobFilter`. The query may have had another filter when the entries were written.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `STREAM_FILE_MISSING` if a file does not exist any more
   */
  def index(from: Long, to: Long, schema: StructType): PartitioningAwareFileIndex = {
    val entries = log.get(Some(from + 1), Some(to)).toSeq.flatMap(_._2)
    if (from < to) batches(to) = from
    val paths = entries.map(_.sparkPath.toPath)
    val basePath =
      if (isPattern || options.containsKey(FileIndexOptions.BASE_PATH_PARAM)) None
      else Some(FileIndexOptions.BASE_PATH_PARAM -> root.toString)
    val index =
      new CommittedFileIndex(
        session,
        paths,
        settings.optionMapWithoutPath ++ basePath,
        Some(schema),
        ofFiles = true
      )
    if (!ReadSettings(options, session.sessionState.conf).tolerated.missing) {
      val found = index.allFiles().map(_.getPath).toSet
      paths.find(path => !found(path) && isNamed(path)).foreach { missing =>
        throw StreamErrors.missingStreamFile(missing.toString)
      }
    }
    index
  }

  /**
   * Deletes or archives the files of the batch whose last entry is `to`, which the query has read,
   * if the options say so.
   */
  def clean(to: Long): Unit = {
    // A batch has several entries if a query failed after it had written an entry.
    val from = batches.remove(to).getOrElse(to - 1)
    if (cleaner.isOn) {
      log
        .get(Some(from + 1), Some(to))
        .flatMap(_._2)
        .filter(entry => entry.batchId > from && entry.batchId <= to)
        // The others were not read, see [[index]].
        .filter(entry => isNamed(entry.sparkPath.toPath))
        .foreach(cleaner.clean)
    }
  }

  def stop(): Unit = cleaner.stop()

  override def toString: String = s"variant-shredded $root"

  /** Returns whether the name of a file matches `pathGlobFilter`. */
  private def isNamed(path: Path): Boolean = nameFilter.forall(_.accept(path))

  private def isNew(file: FileStatus): Boolean =
    seen.isNewFile(SparkPath.fromFileStatus(file), file.getModificationTime)

  private def add(files: Seq[FileStatus]): Unit = {
    val entry = files.map { file =>
      FileEntry(SparkPath.fromFileStatus(file).urlEncoded, file.getModificationTime, last + 1)
    }
    if (!log.add(last + 1, entry.toArray))
      throw StreamErrors.sharedCheckpoint(checkpoint, last + 1)
    last += 1
    entry.foreach(file => seen.add(file.sparkPath, file.timestamp))
    seen.purge()
  }

  /** Returns all files, sorted by the time of their last change. */
  private def list(): Seq[FileStatus] = {
    // A stream may begin to write to the directory while it is listed.
    val files = inLog.getOrElse {
      val found = below
      inLog.getOrElse(found)
    }
    val order = Ordering[Long]
    files.sortBy(_.getModificationTime)(if (settings.latestFirst) order.reverse else order)
  }

  /**
   * Returns the files that a log names, if a stream has written the directory.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the directory, which has no partitions, has been moved since
   */
  private def inLog: Option[Seq[FileStatus]] =
    if (isPattern || !StreamLog.isIn(session, root, hadoopConf)) None
    else
      StreamLog.read(session, root, hadoopConf, parameters, None).map { log =>
        checkCleaner(Seq(root))
        log.checkMoved()
        log.allFiles()
      }

  /** Refuses to delete or archive files that the log of a stream names. */
  private def checkCleaner(withLogs: => Seq[Path]): Unit =
    if (cleaner.isOn) withLogs.headOption.foreach { directory =>
      throw VariantShreddedErrors.unsupported(
        s"cleanSource for the directory '$directory', which a stream has written,",
        "Its log would name files that do not exist. Leave the option out."
      )
    }

  private def below: Seq[FileStatus] = {
    val roots = if (isPattern) matches.resolve() else Seq(root)
    val schema = Some(new StructType)
    val files =
      new CommittedFileIndex(session, roots, parameters, schema, ofPattern = isPattern).allFiles()
    checkCleaner(logsAbove(files))
    files
  }

  private def logsAbove(files: Seq[FileStatus]): Seq[Path] = {
    val parents = files.iterator.map(_.getPath).distinctBy(_.getParent)
    EnclosingTables
      .withLogs(session, hadoopConf, parents.flatMap(EnclosingTables.above).toSet)
      // Not an empty one that hides no file.
      .filter(StreamLog.read(session, _, hadoopConf, parameters, None).isDefined)
  }
}
