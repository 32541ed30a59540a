package io.github.variantshredded.read.footer

import java.io.File
import java.nio.file.{Files, FileSystems}

import scala.util.Try

import org.apache.hadoop.fs.FileStatus

/**
 * Tells the contents of a local file apart if they have the same length and modification time, as
 * after `cp -p` or `rsync -t`.
 */
private[read] object LocalVersion {

  private final val Scheme = "file"

  private val isKnown = FileSystems.getDefault.supportedFileAttributeViews.contains("unix")

  /**
   * Returns the inode and the change time of a file; None if the file is not local, or if they are
   * not available. The system sets the change time at each change, and no program can set it back.
   */
  def of(file: FileStatus): Option[AnyRef] = {
    val uri = file.getPath.toUri
    if (isKnown && uri.getScheme == Scheme)
      Try(Files.readAttributes(new File(uri.getPath).toPath, "unix:ino,ctime")).toOption
    else None
  }
}
