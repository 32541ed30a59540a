package io.github.variantshredded.directory

import java.io.File
import java.nio.file.Files

import scala.collection.mutable

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.hadoop.fs.{FileStatus, FileSystem, LocalFileSystem, Path, RawLocalFileSystem}

/**
 * Protects files that a listing finds below `root` only because it follows a symbolic link to a
 * directory: they are elsewhere, and may belong to somebody else. `root` itself may be a link.
 */
private[variantshredded] final class SymbolicLinks(fs: FileSystem, root: Path) {

  private val local: Option[Path => File] = fs match {
    case checked: LocalFileSystem => Some(checked.pathToFile)
    case raw: RawLocalFileSystem  => Some(raw.pathToFile)
    case _                        => None
  }
  private val depth = fs.makeQualified(root).depth
  private val directories = mutable.HashSet.empty[Path]

  /**
   * Refuses to delete a file behind a link.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def refuse(file: FileStatus): Unit = local.foreach { fileOf =>
    Iterator
      .iterate(file.getPath.getParent)(_.getParent)
      .takeWhile(directory => directory.depth > depth && directories.add(directory))
      .find(directory => Files.isSymbolicLink(fileOf(directory).toPath))
      .foreach { link =>
        throw VariantShreddedErrors.unsupported(
          s"Deleting the file '${file.getPath}' behind the symbolic link '$link'",
          "It may belong to another table. Remove the link, or put a directory in its place."
        )
      }
  }
}
