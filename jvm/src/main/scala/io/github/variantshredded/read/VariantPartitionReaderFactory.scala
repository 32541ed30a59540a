package io.github.variantshredded.read

import io.github.variantshredded.VariantShreddedException
import io.github.variantshredded.extraction.PathExtraction
import io.github.variantshredded.predicate.Conjunct
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.execution.datasources.v2.FilePartitionReader
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration

/**
 * Makes the readers of a scan's partitions; column batches only.
 *
 * @param readDataSchema
 *   data columns wanted, in the order of the batch
 * @param partitionSchema
 *   partition columns wanted, which follow the data columns
 * @param extractedVariants
 *   the Variants that are extracted from, in the structs that hold them
 * @param extractions
 *   their columns follow the partition columns, and behind them the one of their errors
 * @param conjuncts
 *   conditions on rows; those that certainly do not meet them may be left out
 * @param limit
 *   rows that are enough
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
    throw new UnsupportedOperationException("This source gives column batches only.")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] = {
    val metrics = new ReadMetrics
    val files = partition match {
      case split: FilePartition => split.files.iterator
      case other => throw new IllegalArgumentException(s"Not a split of files: $other")
    }
    new FilePartitionReader[ColumnarBatch](files, open(_, metrics), fileSourceOptions) {

      // Spark's reader wraps every error as FAILED_READ_FILE; ours say more.
      override def next(): Boolean =
        try super.next()
        catch {
          case e: Throwable =>
            e.getCause match {
              case ours: VariantShreddedException => throw ours
              case _                              => throw e
            }
        }

      override def currentMetricsValues(): Array[CustomTaskMetric] = metrics.taskMetrics
    }
  }

  private def fileSourceOptions: FileSourceOptions = new FileSourceOptions(
    Map(
      FileSourceOptions.IGNORE_CORRUPT_FILES -> options.ignoreCorruptFiles.toString,
      FileSourceOptions.IGNORE_MISSING_FILES -> options.ignoreMissingFiles.toString
    )
  )

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
