package io.github.variantshredded.read.scan

import io.github.variantshredded.commit.StreamLog
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.extraction.{ExtractionErrors, ScanExtraction}
import io.github.variantshredded.options.Format
import io.github.variantshredded.read.columns.RequestedColumns
import io.github.variantshredded.read.file.{ReadPlan, UnfetchedColumns}
import io.github.variantshredded.read.footer.{ListedFiles, PlaceholderSchema}
import io.github.variantshredded.read.options.{ReaderConf, ReadMetric, ReadSettings}
import io.github.variantshredded.read.stream.NewFiles
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.{
  Batch,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsRuntimeV2Filtering
}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.execution.datasources.{
  FilePartition,
  InMemoryFileIndex,
  PartitionDirectory,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.datasources.v2.FileScan
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Describes a scan of a table: the files and columns to read, and what is pushed down.
 *
 * A scan is immutable, and copies of a plan share it.
 *
 * @param pushed
 *   what the query has pushed down
 * @param footers
 *   the footers by which the size of the scan is estimated
 */
final case class VariantScan(
    sparkSession: classic.SparkSession,
    files: ScannedFiles,
    columns: ScannedColumns,
    pushed: PushedDown,
    options: CaseInsensitiveStringMap,
    footers: PlanningFooters
) extends FileScan
    with SupportsRuntimeV2Filtering {
  import pushed.{declined, extractions, limit, summary}
  import pushed.filters.conjuncts

  override def fileIndex: PartitioningAwareFileIndex = files.index
  override def dataSchema: StructType = columns.all
  override def readDataSchema: StructType = columns.data
  override def readPartitionSchema: StructType = columns.partition
  override def partitionFilters: Seq[Expression] = pushed.filters.partition
  override def dataFilters: Seq[Expression] = pushed.filters.data

  // Copies of a plan share a scan, and so do plans that run at the same time. Filters that Spark
  // passes at run time are valid only for the batch that Spark requests next in the same thread, so
  // they are kept per thread and dropped after that.
  @transient private lazy val forNextBatch = new ThreadLocal[Seq[Expression]]

  override def readSchema(): StructType =
    StructType(
      super.readSchema().fields ++ columns.metadata ++ summary.toSeq.flatMap(_.countFields) ++
        VariantScan.extractionColumns(extractions)
    )

  override def isSplitable(path: Path): Boolean = true

  // All readers return column batches. If Spark had to ask them, it would plan the partitions of all
  // files before it knows the filters of a join. Spark calls this before a statement of its own that
  // overwrites deletes files.
  override def columnarSupportMode(): Scan.ColumnarSupportMode = {
    checkMoved()
    Scan.ColumnarSupportMode.SUPPORTED
  }

  override protected def partitions: Seq[FilePartition] = {
    val planned = super.partitions
    ListedFiles.withStatus(
      if (isOfDataSourceV1) asDataSourceV1(planned) else planned,
      selectedFiles
    )
  }

  /**
   * Returns the same splits in the tasks in which Spark reads them through Data Source V1. Other
   * queries on the relation may be read by Spark, and results such as those of `sample` and
   * `monotonically_increasing_id` depend on the tasks. Data Source V1 sorts the splits of all
   * directories together, and Data Source V2 those of each directory.
   */
  private def asDataSourceV1(planned: Seq[FilePartition]): Seq[FilePartition] = {
    // The sort is stable, as that of Spark.
    val splits = planned.flatMap(_.files).sortBy(-_.length)
    val maxBytes = FilePartition.maxSplitBytes(sparkSession, selectedFiles)
    FilePartition.getFilePartitions(sparkSession, splits, maxBytes)
  }

  /** Returns whether the scan reads the files of another source in its place. */
  def isTakenOver: Boolean = options.containsKey(Format.TakenOverFrom)

  /** Returns whether Spark would read the files through Data Source V1, with its own reader. */
  private def isOfDataSourceV1: Boolean =
    isTakenOver && options.getBoolean(Format.AsSpark, false) &&
      !options.getBoolean(Format.AsDataSourceV2, false)

  override def createReaderFactory(): PartitionReaderFactory = {
    val readSettings = ReadSettings(options, conf)
    val hadoopConf = ReaderConf(sparkSession, options, readDataSchema)
    new VariantPartitionReaderFactory(
      BroadcastConf(sparkSession.sparkContext, hadoopConf),
      ReadPlan(
        requested(extractions ++ conjuncts.pushed.flatMap(_.extractions), readSettings),
        UnfetchedColumns(readPartitionSchema, columns.metadataFields, summary),
        conjuncts.pushed,
        limit,
        readSettings,
        files.overlay,
        areListed = fileIndex.isInstanceOf[InMemoryFileIndex]
      )
    )
  }

  override def filterAttributes(): Array[NamedReference] =
    filterable.fieldNames.map(name => Expressions.column(QuotingUtils.quoteIdentifier(name)))

  /** Returns the columns by whose values files are left out. */
  private def filterable: StructType = fileIndex match {
    case index: PrunedByColumns =>
      StructType(
        readPartitionSchema ++ readDataSchema.filter(field => index.prunedBy(field.name))
      )
    case _ => readPartitionSchema
  }

  /**
   * Takes the filters that Spark has derived from the other side of a join, for the batch that it
   * requests next.
   */
  override def filter(predicates: Array[Predicate]): Unit = {
    val before = Option(forNextBatch.get).getOrElse(Nil)
    forNextBatch.set(before ++ RuntimeFilters(predicates.toSeq, filterable))
  }

  override def toBatch: Batch = {
    val runtimeFilters = Option(forNextBatch.get).getOrElse(Nil)
    forNextBatch.remove()
    checkMoved()
    new VariantBatch(if (runtimeFilters.isEmpty) this else filtered(runtimeFilters))
  }

  /** Refuses the directory of a stream that was moved: its log names files that are not there. */
  private def checkMoved(): Unit = fileIndex match {
    case log: StreamLog.LogIndex => log.checkMoved()
    case _                       => ()
  }

  /** Returns the scan of the files that are left after filters on [[filterable]] columns. */
  private def filtered(runtimeFilters: Seq[Expression]): VariantScan = {
    def of(left: Seq[PartitionDirectory]) =
      copy(files = files.copy(index = new PrunedFiles(sparkSession, fileIndex, left)))
    fileIndex match {
      case _: InMemoryFileIndex   => copy(pushed = pushed.withPartitionFilters(runtimeFilters))
      case index: PrunedByColumns => of(index.pruned(runtimeFilters))
      // Such an index may ask Hive's metastore, which refuses filters with some values.
      case index => of(PrunedFiles.select(selectedFiles, index.partitionSchema, runtimeFilters))
    }
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    val from = files.path.getOrElse(
      throw VariantShreddedErrors.unsupported(
        "A stream of several paths",
        "Start a stream for each path, and combine the streams with union."
      )
    )
    val newFiles = new NewFiles(sparkSession, from, options, checkpointLocation)
    new VariantMicroBatchStream(newFiles, this)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ReadMetric.supported

  override def getMetaData(): Map[String, String] =
    super.getMetaData() ++ ScanDescription(columns, pushed, options)

  override def estimateStatistics(): Statistics = statistics

  @transient private lazy val statistics: Statistics = new ScanSize(this).statistics

  /** Describes what is read of each file; `from` are all extractions from its Variants. */
  private[scan] def requested(
      from: Seq[ScanExtraction],
      readSettings: ReadSettings
  ): RequestedColumns =
    RequestedColumns(readDataSchema, variantsOf(from, readSettings), extractions)

  /** Returns the Variants that are extracted from, in the structs that hold them. */
  private def variantsOf(
      extracted: Seq[ScanExtraction],
      readSettings: ReadSettings
  ): StructType =
    PlaceholderSchema.only(dataSchema, extracted.map(_.column), readSettings.caseSensitive)

  // FileScan compares only the root paths, but a later listing of the same paths may have other
  // files.
  override def equals(other: Any): Boolean = other match {
    case that: VariantScan if this eq that => true
    case that: VariantScan                 =>
      super.equals(that) && dataSchema == that.dataSchema &&
      readPartitionSchema == that.readPartitionSchema && options == that.options &&
      extractions == that.pushed.extractions && declined == that.pushed.declined &&
      limit == that.pushed.limit && summary == that.pushed.summary &&
      files.overlay.columnNames == that.files.overlay.columnNames && sameFiles(that)
    case _ => false
  }

  // Equal indexes have the same root paths, maybe in another order.
  @transient private lazy val hash: Int = fileIndex.rootPaths.toSet.hashCode

  override def hashCode(): Int = hash

  /** Returns the files that the scan reads, unless filters at run time leave some out. */
  @transient lazy val selectedFiles: Seq[PartitionDirectory] =
    fileIndex.listFiles(partitionFilters, dataFilters)

  /** Returns whether another scan reads the same files, if its index and its filters are equal. */
  private def sameFiles(that: VariantScan): Boolean = fileIndex match {
    case same if same eq that.fileIndex               => true
    case index: RelationFiles if index.isEqualByFiles => true
    case _                                            => listing == that.listing
  }

  // The metadata of a file of Delta Lake has its deletion vector.
  private def listing: Set[(String, Long, Long, Map[String, Any])] =
    selectedFiles
      .flatMap(_.files)
      .map(file => (file.getPath.toString, file.getLen, file.getModificationTime, file.metadata))
      .toSet
}

object VariantScan {

  /**
   * The name of the column with the errors of a row's extractions. It is null in rows without
   * errors.
   */
  final val ErrorColumn = "__extraction_errors"

  /** Returns the columns that a scan appends for `extractions`. */
  def extractionColumns(extractions: Seq[ScanExtraction]): Seq[StructField] =
    if (extractions.isEmpty) Nil
    else {
      extractions.map(e => StructField(e.name, e.what.dataType)) :+
        StructField(ErrorColumn, ExtractionErrors.ColumnType)
    }
}
