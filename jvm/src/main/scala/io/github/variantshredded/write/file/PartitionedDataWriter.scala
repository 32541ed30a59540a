package io.github.variantshredded.write.file

import scala.collection.mutable

import io.github.variantshredded.commit.HiddenNames
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Empty2Null, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.{
  BaseDynamicPartitionDataWriter,
  WriteJobDescription
}
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}

/**
 * Writes rows that are sorted by the partition columns, one partition after the other.
 *
 * As in Spark, empty strings belong to the partition of nulls. The sort keeps empty strings and
 * nulls apart, so if there are several partition columns, a partition can occur again. Its next
 * file then gets the next number.
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

  // Spark names the directory of a binary value by the text that the bytes encode.
  private val texts = description.partitionColumns.zipWithIndex.collect {
    case (column, i) if PartitionedDataWriter.isText(column.dataType) => (column.name, i)
  }

  private val filesOf = mutable.HashMap.empty[UnsafeRow, Int]
  private var current: Option[UnsafeRow] = None

  override def write(record: InternalRow): Unit = {
    val partition = partitionOf(record)
    if (!current.contains(partition)) {
      current.foreach(filesOf(_) = fileCounter + 1)
      val next = partition.copy()
      texts.foreach { case (name, i) =>
        if (!next.isNullAt(i)) HiddenNames.checkPartition(s"$name=${next.getUTF8String(i)}")
      }
      current = Some(next)
      fileCounter = filesOf.getOrElse(next, 0)
      statsTrackers.foreach(_.newPartition(next))
      renewCurrentWriter(current, bucketId = None, closeCurrentWriter = true)
    } else if (FileEnd.isAfter(currentWriter, recordsInFile, description))
      renewCurrentWriterIfTooManyRecords(current, bucketId = None)
    writeRecord(record)
  }
}

private object PartitionedDataWriter {

  private def isText(dataType: DataType): Boolean = dataType match {
    case _: StringType | BinaryType => true
    case _                          => false
  }
}
