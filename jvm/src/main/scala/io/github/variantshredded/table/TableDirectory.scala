package io.github.variantshredded.table

import java.net.URI
import java.nio.file.AccessDeniedException
import java.util.UUID

import io.github.variantshredded.directory.Directories
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, ParentNotDirectoryException, Path}
import org.apache.hadoop.security.AccessControlException

/** Compares the directory of a table in Spark's session catalog with others. */
private[variantshredded] final class TableDirectory(conf: Configuration, location: URI) {

  val fs: FileSystem = new Path(location).getFileSystem(conf)

  val path: Path = Directories.qualified(new Path(location), conf)

  /** Returns whether one of the two directories contains the other, or they are the same. */
  def overlaps(other: Path): Boolean = {
    val qualified = Directories.qualified(other, conf)
    contains(qualified) || Directories.isIn(path, qualified)
  }

  def overlaps(other: String): Boolean = overlaps(new Path(other))

  /** Returns whether a qualified path is this directory or is below it. */
  def contains(other: Path): Boolean = Directories.isIn(other, path)

  def exists: Boolean = fs.exists(path)

  /**
   * Returns whether this directory, which exists, and `other` are one, or one is below the other,
   * however they are spelled: `s3` and `s3a`, or a symbolic link above a table. Creates a hidden
   * file in this directory for a moment, and looks for it once for each level of the two paths.
   */
  def meets(other: TableDirectory): Boolean = {
    val file = Directories.child(path, s".variant_shredded_${UUID.randomUUID()}")
    // Who may not write to this directory cannot write the new table to it either.
    isCreated(file) && (try {
      def isSeenIn(above: Path, below: Seq[Path]): Boolean = {
        val directory =
          below.foldLeft(above)((path, next) => Directories.child(path, next.getName))
        try other.fs.exists(Directories.child(directory, file.getName))
        catch {
          case _: AccessControlException | _: AccessDeniedException => false
          case _: ParentNotDirectoryException                       => false
        }
      }
      val levels = TableDirectory.levels(path).filterNot(_.isRoot)
      TableDirectory.levels(other.path).exists(isSeenIn(_, Nil)) ||
      levels.indices.exists(i => isSeenIn(other.path, levels.take(i + 1).reverse))
    } finally {
      val _ = fs.delete(file, false)
    })
  }

  private def isCreated(file: Path): Boolean =
    try {
      fs.create(file, false).close()
      true
    } catch { case _: AccessControlException | _: AccessDeniedException => false }
}

private object TableDirectory {

  /** Returns a directory and those above it. */
  private def levels(directory: Path): Seq[Path] =
    Iterator.iterate(directory)(_.getParent).takeWhile(_ != null).toSeq
}
