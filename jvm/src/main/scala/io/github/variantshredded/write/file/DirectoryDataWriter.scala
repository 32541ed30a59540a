package io.github.variantshredded.write.file

import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.spark.internal.io.{FileCommitProtocol, FileNameSpec}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.datasources.{FileFormatDataWriter, WriteJobDescription}

/**
 * Writes the rows of a task to one directory.
 *
 * A task without rows writes no file, except for one task of the job, so that the schema can be
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
