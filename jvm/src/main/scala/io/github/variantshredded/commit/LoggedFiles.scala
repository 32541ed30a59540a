package io.github.variantshredded.commit

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{PartitioningAwareFileIndex, PartitionSpec}
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSinkLog
import org.apache.spark.sql.types.StructType

/**
 * Lists the files that the log of a stream names, as Spark's index for such logs does, but finds them
 * also if the directory has been moved, see [[MovedFiles]].
 *
 * @param root
 *   directory that the stream has written
 */
private[commit] class LoggedFiles(
    session: SparkSession,
    root: Path,
    conf: Configuration,
    parameters: Map[String, String],
    schema: Option[StructType]
) extends PartitioningAwareFileIndex(session, parameters, schema) {

  private val files: Seq[FileStatus] = {
    val directory = StreamLog.of(session, root, root.getFileSystem(conf))
    val log = new FileStreamSinkLog(FileStreamSinkLog.VERSION, session, directory.toString)
    val entries = log.allFiles().toSeq.map(_.toFileStatus).filterNot(_.isDirectory)
    MovedFiles.located(root, conf, entries)
  }

  override protected val leafFiles: mutable.LinkedHashMap[Path, FileStatus] =
    mutable.LinkedHashMap.from(files.map(file => file.getPath -> file))

  override protected val leafDirToChildrenFiles: Map[Path, Array[FileStatus]] =
    files.toArray.groupBy(_.getPath.getParent)

  private lazy val partitions = inferPartitioning()

  override def partitionSpec(): PartitionSpec = partitions

  override def rootPaths: Seq[Path] = Seq(root)

  override def refresh(): Unit = ()
}
