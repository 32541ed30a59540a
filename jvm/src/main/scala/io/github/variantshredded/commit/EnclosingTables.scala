package io.github.variantshredded.commit

import scala.annotation.tailrec
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

  /**
   * Leaves out the files in directories that a stream has written which the log of the stream does
   * not name, such as those of failed attempts.
   */
  def inLogs(
      session: SparkSession,
      conf: Configuration,
      files: Iterable[FileStatus]
  ): Iterable[FileStatus] = {
    val tables = files.iterator
      .map(_.getPath)
      .distinctBy(_.getParent)
      .map(file => file.getParent -> above(file))
      .toMap
    val logs = withLogs(session, conf, tables.values.flatten.toSet).flatMap { table =>
      StreamLog.read(session, table, conf, Map.empty, None).map { index =>
        // Names are unique. The paths in the log are wrong if the directory has been moved.
        table -> index.allFiles().iterator.map(_.getPath.getName).toSet
      }
    }.toMap
    if (logs.isEmpty) files
    else
      files.filter { file =>
        val path = file.getPath
        tables(path.getParent).flatMap(logs.get).forall(names => names(path.getName))
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
      Directories.ifAllowed(path)(StreamLog.isIn(session, path, fs)).contains(true)
    }
    asked.asJava.parallelStream.filter(hasLog(_)).map[Path](_._1).toList.asScala.toSeq
  }
}
