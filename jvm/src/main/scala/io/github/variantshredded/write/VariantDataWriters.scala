package io.github.variantshredded.write

import scala.collection.mutable

import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.spark.internal.io.{FileCommitProtocol, FileNameSpec}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Empty2Null, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{
  BaseDynamicPartitionDataWriter,
  FileFormatDataWriter,
  OutputWriter,
  WriteJobDescription
}
import org.apache.spark.sql.types.StringType

/**
 * Writes the rows of a task to one directory.
 *
 * A task without rows leaves no file, but one of the job does, so that there is always a schema to
 * read.
 */
private[write] final class DirectoryDataWriter(
    description: WriteJobDescription,
    context: TaskAttemptContext,
    committer: FileCommitProtocol,
    writesEmptyFile: Boolean
) extends FileFormatDataWriter(description, context, committer, Map.empty) {

  private val dataSchema = DataTypeUtils.fromAttributes(description.dataColumns)
  private var fileCounter = 0
  private var recordsInFile = 0L

  if (writesEmptyFile) open()

  override def write(record: InternalRow): Unit = {
    if (currentWriter == null) open()
    else if (FileEnd.isAfter(currentWriter, recordsInFile, description)) {
      releaseCurrentWriter()
      fileCounter += 1
      open()
    }
    currentWriter.write(record)
    statsTrackers.foreach(_.newRow(currentWriter.path(), record))
    recordsInFile += 1
  }

  private def open(): Unit = {
    recordsInFile = 0
    val extension = description.outputWriterFactory.getFileExtension(context)
    val path =
      committer.newTaskTempFile(context, None, FileNameSpec("", f"-c$fileCounter%03d$extension"))
    currentWriter = description.outputWriterFactory.newInstance(path, dataSchema, context)
    statsTrackers.foreach(_.newFile(path))
  }
}

/**
 * Writes rows that are sorted by the partition columns, one partition after the other.
 *
 * Empty strings go to the partition of nulls, as Spark has it. The sort keeps the two apart, so with
 * several partition columns a partition can come up again; its next file then has the next number.
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

  private val texts = description.partitionColumns.zipWithIndex.collect {
    case (column, i) if column.dataType.isInstanceOf[StringType] => (column.name, i)
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

/** When the next row of the same directory goes to a new file. */
private object FileEnd {

  def isAfter(writer: OutputWriter, rows: Long, description: WriteJobDescription): Boolean =
    (description.maxRecordsPerFile > 0 && rows >= description.maxRecordsPerFile) ||
      (writer match {
        case variants: VariantOutputWriter => variants.rolls()
        case _                             => false
      })
}
