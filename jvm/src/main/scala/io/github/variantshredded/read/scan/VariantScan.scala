package io.github.variantshredded.read.scan

import io.github.variantshredded.extraction.{ExtractionErrors, PathExtraction}
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.read.footer.VariantPlacement
import io.github.variantshredded.read.options.{
  ReaderConf,
  ReadMetric,
  VariantReadOptions,
  VariantShreddedOptions
}
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.{
  Batch,
  PartitionReaderFactory,
  Statistics,
  SupportsRuntimeV2Filtering
}
import org.apache.spark.sql.execution.datasources.{PartitionDirectory, PartitioningAwareFileIndex}
import org.apache.spark.sql.execution.datasources.v2.FileScan
import org.apache.spark.sql.types.{StructField, StructType}
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
 * @param conjuncts
 *   what the scan makes of them
 * @param limit
 *   rows of each task that are enough
 * @param extractions
 *   what is read out of Variants in place of them; a column each, after the partition columns, and
 *   behind them one of their errors
 * @param declined
 *   what of the query could not be an extraction, and why
 * @param footers
 *   those that its size is estimated by
 */
final case class VariantScan(
    sparkSession: classic.SparkSession,
    fileIndex: PartitioningAwareFileIndex,
    dataSchema: StructType,
    readDataSchema: StructType,
    readPartitionSchema: StructType,
    partitionFilters: Seq[Expression],
    dataFilters: Seq[Expression],
    options: CaseInsensitiveStringMap,
    conjuncts: Conjuncts = Conjuncts.None,
    limit: Option[Int] = None,
    extractions: Seq[PathExtraction] = Nil,
    declined: Seq[String] = Nil,
    footers: PlanningFooters = new PlanningFooters
) extends FileScan
    with SupportsRuntimeV2Filtering {

  // A scan is shared by copies of a plan, and by plans that run at the same time. What Spark tells it
  // at run time is for the batch that it asks for next, in the same thread, and is not kept.
  @transient private lazy val forNextBatch = new ThreadLocal[Seq[Expression]]

  override def readSchema(): StructType =
    StructType(super.readSchema().fields ++ VariantScan.extractionColumns(extractions))

  override def isSplitable(path: Path): Boolean = true

  override def createReaderFactory(): PartitionReaderFactory = {
    val readOptions = VariantReadOptions(options, conf)
    val hadoopConf = ReaderConf(sparkSession, options, readDataSchema)
    val broadcast = sparkSession.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    new VariantPartitionReaderFactory(
      broadcast,
      readDataSchema,
      readPartitionSchema,
      variantsOf(extractions ++ conjuncts.pushed.flatMap(_.extractions), readOptions),
      extractions,
      conjuncts.pushed,
      limit,
      readOptions
    )
  }

  override def filterAttributes(): Array[NamedReference] =
    readPartitionSchema.fieldNames.map(name =>
      Expressions.column(QuotingUtils.quoteIdentifier(name))
    )

  /** Spark knows the other side of a join, and goes on to ask for the batch that it reads. */
  override def filter(predicates: Array[Predicate]): Unit = {
    val before = Option(forNextBatch.get).getOrElse(Nil)
    forNextBatch.set(before ++ RuntimeFilters(predicates.toSeq, readPartitionSchema))
  }

  override def toBatch: Batch = {
    val runtimeFilters = Option(forNextBatch.get).getOrElse(Nil)
    forNextBatch.remove()
    if (runtimeFilters.isEmpty) this
    else copy(partitionFilters = partitionFilters ++ runtimeFilters)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetric.supported

  override def getMetaData(): Map[String, String] =
    super.getMetaData() ++ Map(
      "Format" -> "variant-shredded",
      "PushedExtractions" -> VariantScan.list(extractions.map(_.name)),
      "DeclinedExtractions" -> VariantScan.list(declined),
      "PushedPredicates" -> VariantScan.list(conjuncts.pushed.flatMap(_.texts)),
      "DeclinedPredicates" -> VariantScan.list(conjuncts.declined)
    ) ++ limit.map(rows => "PushedLimit" -> rows.toString)

  override def estimateStatistics(): Statistics = statistics

  @transient private lazy val statistics: Statistics =
    estimate.fold(estimateByTypes)(_.statistics(conf.fileCompressionFactor))

  /** By the footers of some files, if they may be read. */
  private def estimate: Option[ScanEstimate] = {
    val mostFooters = VariantShreddedOptions.setting(VariantShreddedOptions.PlanningFooters, conf)
    if (mostFooters == 0) None
    else {
      footers.estimate((readDataSchema, extractions, partitionFilters, dataFilters)) {
        val files = selectedFiles.flatMap(_.files).map(_.fileStatus).filter(_.getLen > 0)
        if (files.isEmpty) Some(ScanEstimate(0, 0))
        else Estimated(estimate(files, mostFooters)).flatten
      }
    }
  }

  private def estimate(files: Seq[FileStatus], mostFooters: Int): Option[ScanEstimate] = {
    val readOptions = VariantReadOptions(options, conf)
    val hadoopConf = ReaderConf(sparkSession, options, readDataSchema)
    ScanEstimate.of(
      footers.sample(files, mostFooters, hadoopConf),
      files.map(_.getLen).sum,
      readDataSchema,
      variantsOf(extractions, readOptions),
      extractions,
      readOptions,
      hadoopConf
    )
  }

  /** Sizes of the files that partition pruning left, scaled by the share of the columns read. */
  private def estimateByTypes: Statistics = {
    val bytes = selectedFiles.flatMap(_.files).map(_.getLen).sum
    val allColumns = dataSchema.defaultSize + fileIndex.partitionSchema.defaultSize
    val columns = readDataSchema.defaultSize + readPartitionSchema.defaultSize +
      extractions.map(_.what.dataType.defaultSize).sum
    val share = if (allColumns == 0) 1.0 else math.min(1.0, columns.toDouble / allColumns)
    ScanEstimate.statistics(conf.fileCompressionFactor * bytes * share, None)
  }

  /** The Variants that values are extracted from, in the structs that hold them. */
  private def variantsOf(
      extracted: Seq[PathExtraction],
      readOptions: VariantReadOptions
  ): StructType =
    VariantPlacement.only(dataSchema, extracted.map(_.column), readOptions.caseSensitive)

  // FileScan compares the root paths only; a later listing of the same paths is another input.
  override def equals(other: Any): Boolean = other match {
    case that: VariantScan =>
      super.equals(that) && dataSchema == that.dataSchema &&
      readPartitionSchema == that.readPartitionSchema && options == that.options &&
      extractions == that.extractions && declined == that.declined && limit == that.limit &&
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

object VariantScan {

  /** Name of the column with the errors of a row's extractions; null in rows without. */
  final val ErrorColumn = "__extraction_errors"

  /** The columns that a scan appends for `extractions`. */
  def extractionColumns(extractions: Seq[PathExtraction]): Seq[StructField] =
    if (extractions.isEmpty) Nil
    else {
      extractions.map(e => StructField(e.name, e.what.dataType)) :+
        StructField(ErrorColumn, ExtractionErrors.ColumnType)
    }

  // As many as fit on a screen.
  private def list(texts: Seq[String]): String = {
    val more = if (texts.size > MaxShown) Seq(s"... ${texts.size - MaxShown} more") else Nil
    (texts.take(MaxShown) ++ more).mkString("[", ", ", "]")
  }

  private final val MaxShown = 25
}
