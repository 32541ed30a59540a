package io.github.variantshredded.read.footer

import java.io.File
import java.nio.file.{Files, FileSystems}

import scala.util.Try

import org.apache.hadoop.fs.{FileStatus, Path}

/** Recognizes local files (`file:`), and tells their contents apart. */
private[read] object LocalFiles {

  private val hasVersions = FileSystems.getDefault.supportedFileAttributeViews.contains("unix")

  def isLocal(path: Path): Boolean = path.toUri.getScheme == "file"

  /**
   * Returns the inode and the change time of a file, which differ even if another file of the same
   * length and modification time has replaced it, as `cp -p` or `rsync -t` do; None if the file is
   * not local, or if they are not available. The system sets the change time at each change, and no
   * program can set it back.
   */
  def version(file: FileStatus): Option[AnyRef] = {
    val path = file.getPath
    if (hasVersions && isLocal(path))
      Try(Files.readAttributes(new File(path.toUri.getPath).toPath, "unix:ino,ctime")).toOption
    else None
  }
}
