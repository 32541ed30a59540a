package io.github.variantshredded.commit

import scala.annotation.tailrec
import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.sql.classic.SparkSession

/**
 * Finds the tables that paths may be parts of, for reads that name parts of a table: a pattern of
 * paths, or the directory of a partition. The commit notes and the log of a stream are in the
 * directory of the table.
 */
private[variantshredded] object EnclosingTables {

  /**
   * Returns the directories above `path` that may be the table of which it is a part: its parent,
   * and those above as long as the directory between is one of a partition, such as `day=1`.
   */
  def above(path: Path): Seq[Path] = {
    @tailrec
    def from(path: Path, found: Vector[Path]): Vector[Path] = path.getParent match {
      case null                          => found
      case parent if isPartition(parent) => from(parent, found :+ parent)
      case parent                        => found :+ parent
    }
    from(path, Vector.empty)
  }

  /** Returns whether the directory is one of a partition by its name. */
  def isPartition(directory: Path): Boolean = directory.getName.contains("=")

  /** Returns those of the directories `roots` in which a file is. */
  def among(roots: Seq[Path])(file: Path): Seq[Path] = {
    val directories = roots.toSet
    Iterator.iterate(file.getParent)(_.getParent).takeWhile(_ != null).filter(directories).toSeq
  }

  /**
   * Lists files without those in directories that a stream has written which the log of the stream
   * does not name, such as those of failed attempts.
   *
   * @param tablesOf
   *   returns the directories that may have a log for a file
   * @param list
   *   lists the files again at each call
   */
  def inLogs(session: SparkSession, conf: Configuration, tablesOf: Path => Seq[Path])(
      list: () => Iterable[FileStatus]
  ): Iterable[FileStatus] = {
    val tables = mutable.HashMap.empty[Path, Seq[Path]]
    def of(file: FileStatus): Seq[Path] =
      tables.getOrElseUpdate(file.getPath.getParent, tablesOf(file.getPath))
    val found = list()
    val logs = withLogs(session, conf, found.iterator.flatMap(of).toSet).flatMap { table =>
      StreamLog.read(session, table, conf, Map.empty, None).map { index =>
        // Names are unique. The paths in the log are wrong if the directory has been moved.
        table -> index.allFiles().iterator.map(_.getPath.getName).toSet
      }
    }.toMap
    if (logs.isEmpty) found
    else {
      // The log may name files of a batch that were not there yet, beside others that were.
      list().filter { file =>
        of(file).flatMap(logs.get).forall(names => names(file.getPath.getName))
      }
    }
  }

  /** Returns those of the directories that have the log of a stream; some may be closed to the user. */
  def withLogs(
      session: SparkSession,
      conf: Configuration,
      directories: Set[Path]
  ): Seq[Path] = {
    // The threads of a parallel stream may belong to another user.
    val asked = directories.toSeq.map(path => path -> path.getFileSystem(conf))
    def hasLog(directory: (Path, FileSystem)) = {
      val (path, fs) = directory
      Directories.ifAllowed(path)(StreamLog.isUsed(session, path, fs)).contains(true)
    }
    asked.asJava.parallelStream.filter(hasLog(_)).map[Path](_._1).toList.asScala.toSeq
  }
}
