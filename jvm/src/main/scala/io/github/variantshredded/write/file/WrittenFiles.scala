package io.github.variantshredded.write.file

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{
  WriteJobStatsTracker,
  WriteTaskStats,
  WriteTaskStatsTracker
}

/**
 * Collects the names of the files that the tasks write, by which the job can check when it commits
 * that all of them are in their places, and no others.
 *
 * @param partitionColumns
 *   number of partition columns, and so of directories in each name
 */
private[write] final class WrittenFiles(partitionColumns: Int) extends WriteJobStatsTracker {

  override def newTaskInstance(): WriteTaskStatsTracker = new WriteTaskStatsTracker {
    private val names = mutable.ArrayBuffer.empty[String]

    override def newPartition(values: InternalRow): Unit = ()

    override def newFile(path: String): Unit = {
      val parts = Iterator.iterate(new Path(path))(_.getParent).map(_.getName)
      names += parts.take(partitionColumns + 1).toSeq.reverse.mkString(Path.SEPARATOR)
    }

    override def closeFile(path: String): Unit = ()

    override def newRow(path: String, row: InternalRow): Unit = ()

    override def getFinalStats(commitTime: Long): WriteTaskStats = WrittenFiles.OfTask(names.toSeq)
  }

  override def processStats(stats: Seq[WriteTaskStats], commitTime: Long): Unit = ()
}

private[write] object WrittenFiles {

  /**
   * Holds the names of the files of a task, relative to the directory of the table.
   */
  private final case class OfTask(names: Seq[String]) extends WriteTaskStats

  /** Returns the names in what tasks have reported. */
  def names(stats: Iterable[WriteTaskStats]): Set[String] =
    stats.iterator.collect { case task: OfTask => task.names }.flatten.toSet
}
