package io.github.variantshredded.write.file

import scala.collection.mutable

import io.github.variantshredded.directory.PartitionDirectories
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Empty2Null, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.{
  BaseDynamicPartitionDataWriter,
  WriteJobDescription
}
import org.apache.spark.sql.types.{StringType, StructField}

/**
 * Writes rows that are sorted by the partition columns, one partition after the other.
 *
 * As in Spark, empty strings and empty bytes belong to the partition of nulls. The sort keeps them
 * apart, so the directory of a partition can occur again. Its next file then gets the next number.
 */
private[write] final class PartitionedDataWriter(
    description: WriteJobDescription,
    context: TaskAttemptContext,
    committer: FileCommitProtocol
) extends BaseDynamicPartitionDataWriter(description, context, committer, Map.empty) {

  private val partitionOf = {
    val values = description.partitionColumns.map { column =>
      if (column.dataType == StringType && column.nullable) Empty2Null(column) else column
    }
    UnsafeProjection.create(values, description.allColumns)
  }

  private val directories = PartitionDirectories(
    description.partitionColumns.map(c => StructField(c.name, c.dataType, c.nullable)),
    description.timeZoneId
  )

  // The number of the next file in each directory.
  private val nextFiles = mutable.HashMap.empty[Seq[String], Int]
  private var current: Option[UnsafeRow] = None
  private var directory: Seq[String] = Nil

  override def write(record: InternalRow): Unit = {
    val partition = partitionOf(record)
    if (!current.contains(partition)) {
      if (current.isDefined) nextFiles(directory) = fileCounter + 1
      val next = partition.copy()
      directory = directories.ofRows(next)
      current = Some(next)
      fileCounter = nextFiles.getOrElse(directory, 0)
      statsTrackers.foreach(_.newPartition(next))
      renewCurrentWriter(current, bucketId = None, closeCurrentWriter = true)
    } else if (FileEnd.isAfter(currentWriter, recordsInFile, description))
      renewCurrentWriterIfTooManyRecords(current, bucketId = None)
    writeRecord(record)
  }
}
