package io.github.variantshredded.read.scan

import io.github.variantshredded.read.file.{
  ListedFileReader,
  ReadPlan,
  SplitReader,
  VariantFileReader
}
import io.github.variantshredded.read.options.ReadMetrics
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration

/**
 * Creates the readers of a scan's partitions. They return column batches only.
 */
private[read] final class VariantPartitionReaderFactory(
    conf: Broadcast[SerializableConfiguration],
    plan: ReadPlan
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("This source returns column batches only.")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] = {
    val metrics = new ReadMetrics
    new SplitReader[ColumnarBatch](
      partition,
      open(_, metrics),
      plan.settings.tolerated,
      plan.settings.variants.asSpark
    ) {
      override def currentMetricsValues(): Array[CustomTaskMetric] = metrics.taskMetrics
    }
  }

  private def open(file: PartitionedFile, metrics: ReadMetrics): PartitionReader[ColumnarBatch] = {
    val hadoopConf = conf.value.value
    new ListedFileReader(
      file,
      hadoopConf,
      plan.settings.tolerated.missing,
      plan.areListed,
      new VariantFileReader(file, _, hadoopConf, plan, metrics)
    )
  }
}
