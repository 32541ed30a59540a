package io.github.variantshredded.read.scan

import io.github.variantshredded.read.stream.NewFiles
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex
import org.apache.spark.sql.execution.streaming.runtime.{FileStreamSourceOffset, SerializedOffset}
import org.apache.spark.sql.types.StructType

/**
 * Reads the new files of a directory as a stream of micro-batches. An offset is the number of an
 * entry in the log of files.
 *
 * Spark makes one stream per query, and pushes nothing down to it. So the optimizer gives each
 * micro-batch a copy of the stream, with the scan that reads the files of the batch.
 *
 * @param scan
 *   reads the columns of the table
 * @param isPlanned
 *   whether `scan` reads the files of one micro-batch
 * @param isShared
 *   whether several scans of a plan have this stream, and so must read the same
 */
final class VariantMicroBatchStream private (
    private val files: NewFiles,
    scan: VariantScan,
    val isPlanned: Boolean,
    val isShared: Boolean
) extends MicroBatchStream
    with SupportsTriggerAvailableNow {

  private[read] def this(files: NewFiles, scan: VariantScan) =
    this(files, scan, isPlanned = false, isShared = false)

  /** Returns the stream for a micro-batch that `scan` reads. */
  def of(scan: VariantScan): VariantMicroBatchStream =
    new VariantMicroBatchStream(files, scan, isPlanned = true, isShared)

  /** Returns the stream for several scans of a plan. */
  def shared: VariantMicroBatchStream =
    new VariantMicroBatchStream(files, scan, isPlanned, isShared = true)

  /** Returns the files of a micro-batch. */
  def index(start: Offset, end: Offset, schema: StructType): PartitioningAwareFileIndex =
    files.index(number(start), number(end), schema)

  override def initialOffset(): Offset = FileStreamSourceOffset(-1)

  override def deserializeOffset(json: String): Offset =
    FileStreamSourceOffset(SerializedOffset(json))

  override def getDefaultReadLimit: ReadLimit = files.readLimit

  override def prepareForTriggerAvailableNow(): Unit = files.fix()

  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    val last = files.next(number(start), limit)
    if (last < 0) null else FileStreamSourceOffset(last)
  }

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) must be called.")

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
    if (isPlanned) scan.planInputPartitions()
    else {
      val index = files.index(number(start), number(end), scan.dataSchema)
      scan.copy(files = scan.files.copy(index = index)).planInputPartitions()
    }

  override def createReaderFactory(): PartitionReaderFactory = scan.createReaderFactory()

  override def commit(end: Offset): Unit = files.clean(number(end))

  override def stop(): Unit = files.stop()

  // Spark counts the rows of a stream by the streams in the plan of the micro-batch.
  override def equals(other: Any): Boolean = other match {
    case that: VariantMicroBatchStream => files eq that.files
    case _                             => false
  }

  override def hashCode(): Int = System.identityHashCode(files)

  override def toString: String = files.toString

  private def number(offset: Offset): Long = offset match {
    case FileStreamSourceOffset(number) => number
    case other                          =>
      FileStreamSourceOffset(SerializedOffset(other.json)).logOffset
  }
}
