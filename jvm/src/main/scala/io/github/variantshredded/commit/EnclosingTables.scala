package io.github.variantshredded.commit

import java.util.Locale

import scala.annotation.tailrec
import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.directory.Directories
import io.github.variantshredded.errors.CommitErrors
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
   * Returns the function that gives those of the directories `roots` in which a file is, spelled as
   * its listing spells them: `roots` have schemes and hosts as the user does, so these are compared
   * only if they tell file systems apart, and without regard to case.
   */
  def among(roots: Seq[Path]): Path => Seq[Path] = {
    val isOneSystem = roots.map(systemOf).distinct.size == 1
    def key(path: Path) = (Option.unless(isOneSystem)(systemOf(path)), path.toUri.getPath)
    val directories = roots.map(key).toSet
    file =>
      Iterator
        .iterate(file.getParent)(_.getParent)
        .takeWhile(_ != null)
        .filter(directory => directories(key(directory)))
        .toSeq
  }

  private def systemOf(path: Path): String =
    s"${path.toUri.getScheme}:${path.toUri.getAuthority}".toLowerCase(Locale.ROOT)

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
    def withLogsOf(files: Iterable[FileStatus]): Set[Path] =
      withLogs(session, conf, files.iterator.flatMap(of).toSet).toSet

    @tailrec
    def attempt(number: Int): Iterable[FileStatus] = {
      val found = list()
      val written = withLogsOf(found)
      if (written.isEmpty) found
      else {
        val before = PendingCommits.ofAll(written, conf)
        def read() = written.flatMap(table => namesIn(session, conf, table).map(table -> _)).toMap
        val logs = read()
        // The log may name files of a batch that were not there yet, beside others that were.
        val files = list()
        // An overwrite may have removed a log meanwhile, and a stream may have begun to write.
        // The batch of a stream only adds names to its log.
        def hasGrown = {
          val now = read()
          now.keySet == logs.keySet && logs.forall { case (table, names) =>
            names.subsetOf(now(table))
          }
        }
        val isSame = withLogsOf(files) == written &&
          (!PendingCommits.haveChanged(before, PendingCommits.ofAll(written, conf)) || hasGrown)
        if (isSame)
          files.filter(file => of(file).flatMap(logs.get).forall(_(file.getPath.getName)))
        else if (number < PendingCommits.Attempts) attempt(number + 1)
        else
          throw CommitErrors
            .commitsWhileListing(written.head.toString, PendingCommits.Attempts)
      }
    }
    attempt(1)
  }

  /** Returns the names of the files in the log of a directory; None if the log is being removed. */
  private def namesIn(
      session: SparkSession,
      conf: Configuration,
      table: Path
  ): Option[Set[String]] =
    StreamLog.read(session, table, conf, Map.empty, None).map(_.names)

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
