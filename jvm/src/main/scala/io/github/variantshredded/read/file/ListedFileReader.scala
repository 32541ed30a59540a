package io.github.variantshredded.read.file

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import io.github.variantshredded.errors.ErrorLocation
import io.github.variantshredded.read.footer.{FileErrors, FooterCache, ListedFiles}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.internal.Logging
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile

/**
 * Reads a file on the assumption that it is still what its listing says, which saves a request to
 * the file system. If the file turns out to have changed, reads it as it is now, as Spark's Parquet
 * source does.
 *
 * @param ignoreMissing
 *   whether a file that is missing has no rows; Spark looks for that only while a file is opened
 * @param open
 *   opens the file with a status
 */
private[read] final class ListedFileReader[T](
    file: PartitionedFile,
    conf: Configuration,
    ignoreMissing: Boolean,
    open: FileStatus => PartitionReader[T]
) extends PartitionReader[T]
    with Logging {

  private val listed = ListedFiles.status(file).filter(ListedFileReader.isSafe)

  // Whether the reader relies on the listing, and has returned nothing yet.
  private var isUnproved = listed.isDefined

  private var reader: PartitionReader[T] = listed match {
    case None         => open(current())
    case Some(status) =>
      try open(status)
      catch { case NonFatal(e) => openChanged(status, e) }
  }

  override def next(): Boolean = {
    val found =
      try reader.next()
      catch {
        case e: FileNotFoundException if isUnproved && ignoreMissing =>
          logWarning(s"Skipped the missing file ${file.toPath}", e)
          false
        case NonFatal(e) if isUnproved =>
          val changed = openChanged(listed.get, e)
          reader.close()
          reader = changed
          reader.next()
      }
    isUnproved = false
    found
  }

  override def get(): T = reader.get()

  override def close(): Unit = reader.close()

  /** Opens the file as it is now, or throws `failure` if that is what its listing says. */
  private def openChanged(status: FileStatus, failure: Throwable): PartitionReader[T] = {
    val now =
      try current()
      catch { case NonFatal(_) => throw failure }
    if (ListedFiles.isSame(status, now)) throw failure
    isUnproved = false
    open(now)
  }

  private def current(): FileStatus = {
    val path = file.toPath
    FileErrors.guard(ErrorLocation(file = Some(path.toString))) {
      path.getFileSystem(conf).getFileStatus(path)
    }
  }
}

private object ListedFileReader {

  /**
   * Whether a change of the file since it was listed is noticed while it is read. With a cached
   * footer, only an ETag makes sure of that.
   */
  def isSafe(listed: FileStatus): Boolean =
    ListedFiles.hasEtag(listed) || FooterCache.find(listed).isEmpty
}
