package io.github.variantshredded.read.footer

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus}
import org.apache.spark.sql.execution.datasources.{
  FilePartition,
  PartitionDirectory,
  PartitionedFile
}

/**
 * Passes on to the tasks what a listing says about its files, so that they need not ask the file
 * system again: on an object store, this would be a request per file.
 *
 * The status of an object has its ETag, which changes with its content. A file that is opened with
 * such a status fails to be read if it has changed since.
 */
private[read] object ListedFiles {

  private final val Status = "__variant_shredded_status"

  /** Returns the splits with the status of their files, where it has an ETag. */
  def withStatus(
      splits: Seq[FilePartition],
      directories: Seq[PartitionDirectory]
  ): Seq[FilePartition] = {
    val statusOf = directories.iterator
      .flatMap(_.files)
      .map(_.fileStatus)
      .filter(hasEtag)
      .map(status => status.getPath -> status)
      .toMap
    if (statusOf.isEmpty) splits
    else
      splits.map { split =>
        split.copy(files = split.files.map { file =>
          val status = statusOf.get(file.toPath).map(Status -> _)
          val known = file.otherConstantMetadataColumnValues
          file.copy(otherConstantMetadataColumnValues = known ++ status)
        })
      }
  }

  /** Returns the status of a file when it was listed, or None if its length is not known. */
  def status(file: PartitionedFile): Option[FileStatus] =
    file.otherConstantMetadataColumnValues.get(Status) match {
      case Some(status: FileStatus) => Some(status)
      case _                        =>
        Option.when(file.fileSize > 0 && file.modificationTime > 0) {
          new FileStatus(file.fileSize, false, 0, 0, file.modificationTime, file.toPath)
        }
    }

  /** Returns the ETag of a file, if the file system has told it. */
  def etag(status: FileStatus): Option[String] = status match {
    case source: EtagSource => Option(source.getEtag).filter(_.nonEmpty)
    case _                  => None
  }

  def hasEtag(status: FileStatus): Boolean = etag(status).isDefined

  /**
   * Returns true if a file has the same content in both, as far as the file system tells. Two ETags
   * decide alone: some object stores list files with milliseconds, and answer requests for one file
   * with seconds.
   */
  def isSame(one: FileStatus, other: FileStatus): Boolean =
    one.getLen == other.getLen && ((etag(one), etag(other)) match {
      case (Some(before), Some(now)) => before == now
      case _                         => one.getModificationTime == other.getModificationTime
    })

  /** Reads a file by its listing, or as it is now if it has changed. */
  def reading[T](listed: FileStatus, conf: Configuration)(read: FileStatus => T): T =
    try read(listed)
    catch {
      case NonFatal(e) =>
        val path = listed.getPath
        read(changed(listed, e)(path.getFileSystem(conf).getFileStatus(path)))
    }

  /**
   * Returns the status of a file that could not be read by its listing as it is now. Throws
   * `failure`, the reason, if the file is still what the listing says.
   *
   * Without an ETag, the client of an object store may have read a former object that it remembers.
   * So a status that has one is returned in any case if the listing has none.
   *
   * @param listed
   *   has the time 0 if the time is not known
   * @throws java.io.FileNotFoundException
   *   if the file is missing now
   */
  def changed(listed: FileStatus, failure: Throwable)(current: => FileStatus): FileStatus = {
    val now =
      try current
      catch {
        case e: FileNotFoundException => throw e
        case NonFatal(_)              => throw failure
      }
    val hasSameLength = listed.getModificationTime == 0 && listed.getLen == now.getLen
    val getsEtag = hasEtag(now) && !hasEtag(listed)
    if ((hasSameLength || isSame(listed, now)) && !getsEtag) throw failure
    now
  }

  /**
   * Returns the same as [[isSame]], but lets the seconds decide if one of two times has no
   * milliseconds, for files whose listing has no ETag: a mere difference of precision must not fail a
   * read.
   */
  def isSameBySeconds(one: FileStatus, other: FileStatus): Boolean = {
    val times = Seq(one.getModificationTime, other.getModificationTime)
    isSame(one, other) || one.getLen == other.getLen && !(hasEtag(one) && hasEtag(other)) &&
    times.exists(_ % 1000 == 0) && times.map(_ / 1000).distinct.size == 1
  }
}
