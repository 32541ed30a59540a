package io.github.variantshredded.commit

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

  /** Returns the path of a directory's log, if there is one and the session does not ignore it. */
  def find(session: SparkSession, root: Path, conf: Configuration): Option[Path] =
    find(session, root, root.getFileSystem(conf))

  private def find(session: SparkSession, root: Path, fs: FileSystem): Option[Path] =
    if (session.sessionState.conf.fileStreamSinkMetadataIgnored) None
    else Some(of(session, root, fs)).filter(Directories.exists(fs, _))

  /**
   * Returns whether a path is a directory with a log that the session does not ignore. It fails if
   * the file system does not answer; `FileStreamSink.hasMetadata` would say that there is none.
   */
  def isIn(session: SparkSession, path: Path, conf: Configuration): Boolean =
    isIn(session, path, path.getFileSystem(conf))

  /** Returns the same, for a path in the file system `fs`. */
  def isIn(session: SparkSession, path: Path, fs: FileSystem): Boolean =
    Directories.exists(fs, path) && find(session, path, fs).isDefined

  /** Returns the files that a log names, if the paths are one directory with such a log. */
  def index(
      session: SparkSession,
      paths: Seq[String],
      conf: Configuration,
      parameters: Map[String, String],
      schema: Option[StructType]
  ): Option[MetadataLogFileIndex] = paths match {
    case Seq(path) if isIn(session, new Path(path), conf) =>
      Some(new MetadataLogFileIndex(session, new Path(path), parameters, schema))
    case _ => None
  }

  /** Returns the path that the log of a directory has, whether it exists or not. */
  def of(session: SparkSession, root: Path, fs: FileSystem): Path =
    FileStreamSink.getMetadataLogPath(fs, root, session.sessionState.conf)
}
