package io.github.variantshredded.read.file

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.footer.{FileErrors, FooterCache, ListedFiles, LocalFiles}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.internal.Logging
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Reads a file on the assumption that it is still what its listing says, which saves a request to
 * the file system. If the file turns out to have changed, reads it as it is now, as Spark's Parquet
 * source does. If the split is only a part of a file that was replaced, the read fails: other
 * splits may have read the old file, and the query would return rows of both. Without an ETag, which
 * Spark's listings of several directories do not keep, a part of a file therefore asks for its status
 * once. Parts of local files do so only for a cached footer, and are read as they are now.
 *
 * @param ignoreMissing
 *   whether a file that is missing has no rows, if that turns out only after it was opened by its
 *   listing
 * @param isListed
 *   whether the file system has listed the file, so that another time shows that it was replaced
 * @param open
 *   opens the file with a status
 */
private[read] final class ListedFileReader(
    file: PartitionedFile,
    conf: Configuration,
    ignoreMissing: Boolean,
    isListed: Boolean,
    open: FileStatus => VariantFileReader
) extends PartitionReader[ColumnarBatch]
    with Logging {

  private val known = ListedFiles.status(file)
  private val isFooterCached = known.exists(FooterCache.find(_).isDefined)

  // Whether only the status of the file tells if it was replaced after other splits had read it.
  private val isUncheckedPart = known.exists { status =>
    isListed && isPart(status) && !ListedFiles.hasEtag(status) &&
    !LocalFiles.isLocal(status.getPath)
  }

  // With a cached footer, only an ETag makes sure that a change of the file is noticed.
  private val listed =
    known.filter(ListedFiles.hasEtag(_) || !isFooterCached && !isUncheckedPart)

  // Whether the reader relies on the listing, and has returned nothing yet.
  private var isUnproved = listed.isDefined

  private var reader: VariantFileReader = listed match {
    case None =>
      val now = current()
      if (isUncheckedPart && !known.exists(ListedFiles.isSameBySeconds(_, now))) throw replaced
      open(now)
    case Some(status) =>
      try open(status)
      catch { case NonFatal(e) => openChanged(status, e) }
  }

  override def next(): Boolean = {
    val found =
      try reader.next()
      catch {
        case e: FileNotFoundException if isUnproved && ignoreMissing => return skipMissing(e)
        case NonFatal(e) if isUnproved                               => nextOfChanged(e)
      }
    if (isUnproved) proved(found) else found
  }

  /** Returns whether there are rows in the file as it is now. */
  private def nextOfChanged(failure: Throwable): Boolean = {
    isUnproved = false
    try replaceReader(openChanged(listed.get, failure))
    catch { case e: FileNotFoundException if ignoreMissing => return skipMissing(e) }
    reader.next()
  }

  /**
   * Returns whether there are rows, after the first batch. If the footer came from the cache, and
   * nothing else was needed, the file has not been asked for yet.
   */
  private def proved(found: Boolean): Boolean = {
    isUnproved = false
    val hasAsked = reader.hasRead || !isFooterCached
    val now =
      try Option.unless(hasAsked)(current())
      catch { case e: FileNotFoundException if ignoreMissing => return skipMissing(e) }
    now.filterNot(ListedFiles.isSame(listed.get, _)).fold(found) { changed =>
      replaceReader(openReplaced(changed))
      reader.next()
    }
  }

  private def skipMissing(e: FileNotFoundException): Boolean = {
    logWarning(s"Skipped the missing file ${file.toPath}", e)
    false
  }

  private def replaceReader(other: VariantFileReader): Unit = {
    reader.close()
    reader = other
  }

  override def get(): ColumnarBatch = reader.get()

  override def close(): Unit = reader.close()

  /** Opens the file as it is now, or throws `failure` if that is what its listing says. */
  private def openChanged(status: FileStatus, failure: Throwable): VariantFileReader = {
    val now = ListedFiles.changed(status, failure)(current())
    isUnproved = false
    openReplaced(now)
  }

  /** Opens the file as it is now, after it turned out that the listed one was replaced. */
  private def openReplaced(now: FileStatus): VariantFileReader =
    if (listed.exists(status => ListedFiles.hasEtag(status) && isPart(status))) throw replaced
    else open(now)

  private def replaced = new NotSkipped(VariantShreddedErrors.replacedFile(here))

  private def isPart(status: FileStatus): Boolean =
    file.start > 0 || file.length < status.getLen

  private def current(): FileStatus = {
    val path = file.toPath
    FileErrors.guard(here)(path.getFileSystem(conf).getFileStatus(path))
  }

  private def here = ErrorLocation(file = Some(file.toPath.toString))
}
