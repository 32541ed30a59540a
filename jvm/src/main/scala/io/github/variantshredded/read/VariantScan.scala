package io.github.variantshredded.read

import java.util.OptionalLong

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.{PartitionReaderFactory, Statistics}
import org.apache.spark.sql.execution.datasources.{PartitionDirectory, PartitioningAwareFileIndex}
import org.apache.spark.sql.execution.datasources.v2.FileScan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.SerializableConfiguration

/**
 * One scan of a table: which files, which columns.
 *
 * @param dataSchema
 *   all columns in the files
 * @param readDataSchema
 *   those of them that are wanted
 * @param readPartitionSchema
 *   the partition columns that are wanted
 * @param dataFilters
 *   predicates on data columns; Spark evaluates them above the scan
 */
final case class VariantScan(
    sparkSession: classic.SparkSession,
    fileIndex: PartitioningAwareFileIndex,
    dataSchema: StructType,
    readDataSchema: StructType,
    readPartitionSchema: StructType,
    partitionFilters: Seq[Expression],
    dataFilters: Seq[Expression],
    options: CaseInsensitiveStringMap
) extends FileScan {

  override def isSplitable(path: Path): Boolean = true

  override def createReaderFactory(): PartitionReaderFactory = {
    val readOptions = VariantReadOptions(options, conf)
    val hadoopConf = ReaderConf(sparkSession, options, readDataSchema)
    val broadcast = sparkSession.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    new VariantPartitionReaderFactory(broadcast, readDataSchema, readPartitionSchema, readOptions)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetrics.supported

  override def getMetaData(): Map[String, String] =
    super.getMetaData() + ("Format" -> "variant-shredded")

  /** Sizes of the files that partition pruning left, scaled by the share of the columns read. */
  override def estimateStatistics(): Statistics = {
    val bytes = selectedFiles.flatMap(_.files).map(_.getLen).sum
    val allColumns = dataSchema.defaultSize + fileIndex.partitionSchema.defaultSize
    val columns = readDataSchema.defaultSize + readPartitionSchema.defaultSize
    val share = if (allColumns == 0) 1.0 else math.min(1.0, columns.toDouble / allColumns)
    val estimate = math.max(1L, (conf.fileCompressionFactor * bytes * share).toLong)
    new Statistics {
      override def sizeInBytes(): OptionalLong = OptionalLong.of(estimate)
      override def numRows(): OptionalLong = OptionalLong.empty()
    }
  }

  // FileScan compares the root paths only; a later listing of the same paths is another input.
  override def equals(other: Any): Boolean = other match {
    case that: VariantScan =>
      super.equals(that) && dataSchema == that.dataSchema &&
      readPartitionSchema == that.readPartitionSchema && options == that.options &&
      sameFiles(that)
    case _ => false
  }

  override def hashCode(): Int = classOf[VariantScan].hashCode()

  @transient private lazy val selectedFiles: Seq[PartitionDirectory] =
    fileIndex.listFiles(partitionFilters, dataFilters)

  private def sameFiles(that: VariantScan): Boolean =
    (fileIndex eq that.fileIndex) || listing == that.listing

  private def listing: Set[(String, Long, Long)] =
    fileIndex
      .allFiles()
      .map(file => (file.getPath.toString, file.getLen, file.getModificationTime))
      .toSet
}
