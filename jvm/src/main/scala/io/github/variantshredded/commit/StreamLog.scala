package io.github.variantshredded.commit

import java.io.{FileNotFoundException, IOException}

import scala.annotation.tailrec

import io.github.variantshredded.directory.{Directories, PartitionValues}
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.spark.EmptyDirectories
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.types.StructType

/**
 * Finds the log of a stream that writes a directory (`_spark_metadata`): only the files that it
 * names belong to the table.
 */
private[variantshredded] object StreamLog {

  /**
   * Returns the path of a directory's log, if there is one. Writes obey it even if the session
   * ignores logs: other sessions do not.
   */
  def find(session: SparkSession, root: Path, conf: Configuration): Option[Path] =
    find(session, root, root.getFileSystem(conf))

  private def find(session: SparkSession, root: Path, fs: FileSystem): Option[Path] =
    Some(of(session, root, fs)).filter(Directories.exists(fs, _))

  /** Returns whether reads of a directory have to use its log. */
  def isUsed(session: SparkSession, root: Path, conf: Configuration): Boolean =
    isUsed(session, root, root.getFileSystem(conf))

  /** Returns the same, for a directory in the file system `fs`. */
  def isUsed(session: SparkSession, root: Path, fs: FileSystem): Boolean =
    !session.sessionState.conf.fileStreamSinkMetadataIgnored && find(session, root, fs).isDefined

  /**
   * Returns whether a path is a directory with a log that the session does not ignore. It fails if
   * the file system does not answer; `FileStreamSink.hasMetadata` would say that there is none.
   */
  def isIn(session: SparkSession, path: Path, conf: Configuration): Boolean = {
    val fs = path.getFileSystem(conf)
    Directories.exists(fs, path) && isUsed(session, path, fs)
  }

  /** Returns the files that a log names, if the paths are one directory with such a log. */
  def index(
      session: SparkSession,
      paths: Seq[String],
      conf: Configuration,
      parameters: Map[String, String],
      schema: Option[StructType]
  ): Option[LogIndex] = paths match {
    case Seq(path) =>
      val root = Directories.rooted(new Path(path))
      val found =
        if (isIn(session, root, conf)) read(session, root, conf, parameters, schema) else None
      // Nobody could tell the columns of the files.
      if (schema.isEmpty)
        found.filter(index => !index.isEmpty && index.allFiles().isEmpty).foreach(_.checkMoved())
      found
    case _ => None
  }

  /**
   * Returns the files that the log of a directory names, which has been found a moment ago; None if
   * an overwrite has removed it meanwhile.
   *
   * Spark's index creates the log if there is none: an empty one, which would hide the files of the
   * overwrite for ever. So this method lists the log before, and removes it if it has become empty.
   */
  @tailrec
  def read(
      session: SparkSession,
      root: Path,
      conf: Configuration,
      parameters: Map[String, String],
      schema: Option[StructType]
  ): Option[LogIndex] = {
    val fs = root.getFileSystem(conf)
    val log = of(session, root, fs)
    lazy val commits = PendingCommits.of(root, conf)
    entries(fs, log) match {
      case None                                             => None
      case Some(had) if had.isEmpty && commits.hasCommitted => None
      // The overwrite has committed. Not every file system removes a directory at once.
      case Some(_) if commits.removesLog => None
      case Some(had)                     =>
        def isBeingRemoved = entries(fs, log).forall(left => !had.subsetOf(left))
        val index =
          try Some(new LogIndex(session, root, parameters, schema))
          catch { case _: FileNotFoundException if isBeingRemoved => None }
        // A stream that has written no batch yet has an empty log too.
        if (index.forall(found => had.nonEmpty && found.isEmpty && isEmptied(fs, log)))
          read(session, root, conf, parameters, schema)
        else index
    }
  }

  /**
   * Returns whether an overwrite may have removed the log that the directory had: a job that is not
   * a stream has committed there. Opening the log then creates an empty one.
   */
  def mayHaveHadAnother(fs: FileSystem, root: Path): Boolean =
    CommitNote.lastJobs(fs, root).nonEmpty

  /**
   * Removes a log that is empty because a reader has created it again after an overwrite.
   *
   * @return
   *   whether there is no log any more
   */
  def removeEmptied(log: Path, root: Path, conf: Configuration): Boolean = {
    val fs = root.getFileSystem(conf)
    entries(fs, log).forall { found =>
      found.isEmpty && mayHaveHadAnother(fs, root) && removeEmpty(fs, log)
    }
  }

  /** Returns the names of the files of a log; None if there is no log. */
  private def entries(fs: FileSystem, log: Path): Option[Set[String]] =
    try Some(fs.listStatus(log).map(_.getPath.getName).toSet)
    catch { case _: FileNotFoundException => None }

  /** Returns whether a log that had files has none now. Removes it, unless the user may only read. */
  private def isEmptied(fs: FileSystem, log: Path): Boolean =
    entries(fs, log).forall { found =>
      found.isEmpty && {
        // If it stays, it is read again, as one that had no files before.
        try EmptyDirectories.remove(fs, log): Unit
        catch { case _: IOException => () }
        true
      }
    }

  private def removeEmpty(fs: FileSystem, log: Path): Boolean =
    EmptyDirectories.remove(fs, log) || !Directories.exists(fs, log)

  /** Lists the files that the log of a directory names. */
  final class LogIndex private[StreamLog] (
      session: SparkSession,
      root: Path,
      parameters: Map[String, String],
      schema: Option[StructType]
  ) extends MetadataLogFileIndex(session, root, parameters, schema)
      with PartitionValues {

    /** Whether the log names no file. */
    val isEmpty: Boolean = leafFiles.isEmpty

    /**
     * Returns the names of the files, without their directories: names are unique, and the
     * directories in the log are wrong if the table has been moved.
     */
    def names: Set[String] = leafFiles.keysIterator.map(_.getName).toSet

    /** The directory, and a file of the log in another directory, if there is one. */
    private lazy val elsewhere: Option[(Path, Path)] =
      if (partitionSpec().partitionColumns.nonEmpty || recursiveFileLookup) None
      else {
        val directory = Directories.qualified(root, hadoopConf)
        leafFiles.keysIterator.find(_.getParent != directory).map(directory -> _)
      }

    /**
     * Throws an error if files of the log are in another directory. Without partitions, Spark's index
     * leaves them out. Spark calls this several times for each scan.
     */
    def checkMoved(): Unit =
      elsewhere.foreach { case (directory, file) => throw moved(directory, file) }
  }

  /** Returns the error for a directory whose log names a file that is not there but elsewhere. */
  def moved(directory: Path, file: Path): VariantShreddedException =
    VariantShreddedErrors.unsupported(
      s"A directory that was moved or is read by another path after a stream had written it " +
        s"($directory, whose log names $file)",
      "Move it back, rename the table back, or read the files by a glob such as `DIRECTORY/*`."
    )

  /** Returns the path that the log of a directory has, whether it exists or not. */
  def of(session: SparkSession, root: Path, fs: FileSystem): Path =
    FileStreamSink.getMetadataLogPath(fs, root, session.sessionState.conf)
}
