package io.github.variantshredded.read.scan

import io.github.variantshredded.extraction.PathExtraction
import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.file.{SplitReader, VariantFileReader}
import io.github.variantshredded.read.options.{ReadMetrics, VariantReadOptions}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration

/**
 * Creates the readers of a scan's partitions. They return column batches only.
 *
 * @param readDataSchema
 *   the requested data columns, in the order of the batch
 * @param partitionSchema
 *   the requested partition columns, which follow the data columns
 * @param extractedVariants
 *   the Variants that are extracted from, in the structs that hold them
 * @param extractions
 *   the extractions; their columns follow the partition columns, and the column of their errors
 *   comes last
 * @param conjuncts
 *   predicates; rows that certainly do not meet them may be left out
 * @param limit
 *   number of rows after which a reader may stop reading a file; None for all rows
 */
final class VariantPartitionReaderFactory(
    broadcastedConf: Broadcast[SerializableConfiguration],
    readDataSchema: StructType,
    partitionSchema: StructType,
    extractedVariants: StructType,
    extractions: Seq[PathExtraction],
    conjuncts: Seq[Conjunct],
    limit: Option[Int],
    options: VariantReadOptions
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("This source returns column batches only.")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] = {
    val metrics = new ReadMetrics
    new SplitReader[ColumnarBatch](partition, open(_, metrics), options) {
      override def currentMetricsValues(): Array[CustomTaskMetric] = metrics.taskMetrics
    }
  }

  private def open(file: PartitionedFile, metrics: ReadMetrics): PartitionReader[ColumnarBatch] =
    new VariantFileReader(
      file,
      broadcastedConf.value.value,
      readDataSchema,
      partitionSchema,
      extractedVariants,
      extractions,
      conjuncts,
      limit,
      options,
      metrics
    )
}
