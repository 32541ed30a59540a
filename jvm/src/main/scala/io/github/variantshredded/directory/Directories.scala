package io.github.variantshredded.directory

import java.nio.file.AccessDeniedException

import scala.annotation.nowarn

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.internal.Logging

/** Makes paths of directories and checks whether they exist. */
private[variantshredded] object Directories extends Logging {

  /**
   * Returns whether there is a directory at `path`. An object store answers this in one request, a
   * listing of one name. `FileSystem.exists` first asks for an object of that name.
   */
  @nowarn("cat=deprecation") // The method that Hadoop recommends asks for an object too.
  def exists(fs: FileSystem, path: Path): Boolean = fs.isDirectory(path)

  /**
   * Returns the file or directory `name` in a directory. The name may contain colons, of which
   * Hadoop takes the text before the first for a scheme.
   */
  def child(directory: Path, name: String): Path =
    new Path(directory, new Path(null, null, name))

  /** Returns whether a path is a directory or is below it. Both have a file system, or neither has. */
  def isIn(path: Path, directory: Path): Boolean = {
    val levels = path.depth - directory.depth
    levels >= 0 && Iterator.iterate(path)(_.getParent).drop(levels).next() == directory
  }

  /**
   * Returns the directories from below the nearest of `bases` down to this one, the uppermost first;
   * none if it is not below them.
   */
  def below(bases: Set[Path], directory: Path): Seq[Path] = {
    val (levels, above) =
      Iterator.iterate(directory)(_.getParent).takeWhile(_ != null).toSeq.span(!bases(_))
    if (above.isEmpty) Nil else levels.reverse
  }

  /**
   * Returns the path of a table. The root of a bucket, such as `s3a://bucket`, gets the slash without
   * which Hadoop does not append a name to it.
   */
  def rooted(path: Path): Path = {
    val uri = path.toUri
    if (uri.getPath.isEmpty && uri.getAuthority != null)
      new Path(uri.getScheme, uri.getAuthority, Path.SEPARATOR)
    else path
  }

  /** Returns the path of a table with its file system, see [[rooted]]. */
  def qualified(path: Path, conf: Configuration): Path = {
    val root = rooted(path)
    root.getFileSystem(conf).makeQualified(root)
  }

  /** Returns what `body` finds in a directory; None, with a warning, if it is closed to the user. */
  def ifAllowed[T](directory: Path)(body: => T): Option[T] =
    try Some(body)
    catch {
      case e @ (_: AccessControlException | _: AccessDeniedException) =>
        logWarning(
          s"Commit notes, logs and set-aside files in $directory are not regarded: access is denied",
          e
        )
        None
    }
}
