package io.github.variantshredded.write

import java.util.UUID

import scala.jdk.CollectionConverters._

import io.github.variantshredded.directory.{Directories, HiddenNames, OtherTables}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.Format
import io.github.variantshredded.spark.{IsolatedOutputCommitter, SparkSchemaChecks}
import io.github.variantshredded.write.column.ParquetSettings
import io.github.variantshredded.write.file.{
  ExistingLayout,
  VariantFileSchema,
  VariantOutputWriterFactory,
  WriteMetrics,
  WriteSettings,
  WriteShredding,
  WriteStatsTracker,
  WrittenFiles
}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.mapreduce.Job
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat
import org.apache.spark.internal.io.FileCommitProtocol
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.{Expressions, SortDirection, SortOrder}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{RequiresDistributionAndOrdering, Write}
import org.apache.spark.sql.execution.datasources.{
  BasicWriteJobStatsTracker,
  DataSource,
  PartitioningUtils,
  WriteJobDescription
}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetOptions, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.SerializableConfiguration

/**
 * Describes a write that has been checked: the target, the columns, and how Variants are stored.
 */
private[variantshredded] final class VariantWrite private (
    schema: StructType,
    root: Path,
    hadoopConf: Configuration,
    options: CaseInsensitiveStringMap,
    val partitionColumns: Seq[String],
    mode: WriteMode,
    before: Option[FilesBefore],
    settings: WriteSettings,
    writesEmptyFile: Boolean
) extends Write
    with RequiresDistributionAndOrdering {

  private val files = new VariantOutputWriterFactory(settings)
  private val statsTracker = new WriteStatsTracker(files)

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.supported

  override def reportDriverMetrics(): Array[CustomTaskMetric] = statsTracker.taskMetrics

  override def description(): String = s"${Format.Name} $root"

  override def toString: String = description()

  override def requiredDistribution(): Distribution = Distributions.unspecified()

  /** Requires no order if a rule of the session gives the rows that of the partition columns. */
  override def requiredOrdering(): Array[SortOrder] =
    if (PartitionOrder.isOfSession) Array.empty else partitionOrder

  /** The order by the partition columns, in which a task has one file open at a time. */
  def partitionOrder: Array[SortOrder] = partitionColumns.map { name =>
    val quoted = s"`${name.replace("`", "``")}`"
    Expressions.sort(Expressions.column(quoted), SortDirection.ASCENDING)
  }.toArray

  /** Returns whether the commit may replace a file below the directory of the write. */
  def mayReplace(file: Path): Boolean = mode match {
    case WriteMode.Append | WriteMode.Create    => false
    case WriteMode.Replace(filter)              => selects(filter, file)
    case WriteMode.ReplacePartitions(_, filter) => selects(filter, file)
  }

  private def selects(filter: PartitionFilter, file: Path): Boolean =
    filter.matches(PartitionFilter.directories(root, file))

  override def toBatch(): VariantBatchWrite = {
    val session = SparkSession.active
    val conf = session.sessionState.conf
    val jobId = UUID.randomUUID().toString
    val batchId = BatchLog.batchOf(options)
    val streamed = BatchLog.ofBatch(session, root, hadoopConf, options)
    val keepsFiles = streamed.isEmpty && !mode.replacesAll
    // If a job has died while it removed the log, the commit of this one removes it first.
    if (keepsFiles && !before.exists(_.losesLog)) BatchLog.refuse(session, root, hadoopConf)
    if (streamed.isEmpty) BatchLog.refusePartition(session, root, hadoopConf)
    val committer = streamed.zip(batchId) match {
      case Some((log, batch)) => log.committer(conf.streamingFileCommitProtocolClass, batch)
      case None               =>
        // Spark's protocol would delete a partition before it moves the new files there.
        FileCommitProtocol.instantiate(conf.fileCommitProtocolClass, jobId, root.toString)
    }
    val job = newJob(root)
    // S3A's committers that stage files do not rename those whose names have this id.
    job.getConfiguration.set("spark.sql.sources.writeJobUUID", jobId)
    val description = describe(conf, job, root, jobId)
    val isIsolated =
      IsolatedOutputCommitter.isUsed(job.getConfiguration, SQLConf.OUTPUT_COMMITTER_CLASS.key)
    val traits = CommitterTraits.of(committer, root, hadoopConf, mode, isIsolated)
    val target = WriteTarget(session, root, hadoopConf, mode, traits, keepsFiles, before)
    new VariantBatchWrite(jobId, job, description, committer, target, writesEmptyFile)
  }

  private def newJob(output: Path): Job = {
    val job = Job.getInstance(hadoopConf)
    job.setOutputKeyClass(classOf[Void])
    job.setOutputValueClass(classOf[InternalRow])
    FileOutputFormat.setOutputPath(job, output)
    job
  }

  private def describe(
      conf: SQLConf,
      job: Job,
      output: Path,
      jobId: String
  ): WriteJobDescription = {
    val allColumns = DataTypeUtils.toAttributes(schema)
    // The directories have the names of the table, in whatever letters the rows have them.
    val partitions =
      partitionColumns.map(name => VariantWrite.find(allColumns, name, conf).withName(name))
    val partitionIds = partitions.map(_.exprId).toSet
    val dataColumns = allColumns.filterNot(column => partitionIds(column.exprId))
    val parameters = CaseInsensitiveMap(options.asCaseSensitiveMap.asScala.toMap)
    // Spark's own preparation: it sets what Spark's Parquet writer reads from the configuration.
    ParquetUtils.prepareWrite(
      conf,
      job,
      VariantFileSchema.asBinary(DataTypeUtils.fromAttributes(dataColumns)),
      new ParquetOptions(parameters, conf)
    )
    IsolatedOutputCommitter.use(job.getConfiguration, SQLConf.OUTPUT_COMMITTER_CLASS.key, output)
    StagingConflicts.keepFiles(job.getConfiguration)
    // One object, so that each task has the configuration once.
    val taskConf = new SerializableConfiguration(job.getConfiguration)
    new WriteJobDescription(
      uuid = jobId,
      serializableHadoopConf = taskConf,
      outputWriterFactory = files,
      allColumns = allColumns,
      dataColumns = dataColumns,
      partitionColumns = partitions,
      bucketSpec = None,
      path = output.toString,
      customPartitionLocations = Map.empty,
      maxRecordsPerFile =
        WriteOptions.MaxRecordsPerFile.get(options).getOrElse(conf.maxRecordsPerFile),
      timeZoneId = WriteOptions.timeZone(options, conf),
      statsTrackers = Seq(
        new BasicWriteJobStatsTracker(taskConf, BasicWriteJobStatsTracker.metrics),
        statsTracker,
        new WrittenFiles(partitions.size)
      )
    )
  }
}

private[write] object VariantWrite {

  /**
   * Checks the schema and the options as Spark's file sources do, and the option `shredding`.
   *
   * @param toleratesOthers
   *   whether the directory may have files beside the partitions, see [[VariantWriteBuilder]]
   */
  def apply(
      schema: StructType,
      path: String,
      options: CaseInsensitiveStringMap,
      partitionColumns: Seq[String],
      mode: WriteMode,
      toleratesOthers: Boolean
  ): VariantWrite = {
    val conf = SQLConf.get
    val caseSensitive = conf.caseSensitiveAnalysis
    SparkSchemaChecks.noDuplicates(schema, caseSensitive)
    DataSource.validateSchema(Format.Name, schema, conf)
    PartitioningUtils.validatePartitionColumn(schema, partitionColumns, caseSensitive)
    partitionColumns.foreach(HiddenNames.checkColumn)
    val attributes = DataTypeUtils.toAttributes(schema)
    val partitions = partitionColumns.map(find(attributes, _, conf).name).toSet
    val data = StructType(schema.filterNot(field => partitions(field.name)))
    checkTypes(data)
    // Spark checks the codec and this source the other options, before anything is written.
    val texts = options.asCaseSensitiveMap.asScala.toMap
    val codec = new ParquetOptions(CaseInsensitiveMap(texts), conf).compressionCodecClassName
    WriteOptions.All.foreach(_.get(options))
    val session = SparkSession.active
    val hadoopConf = session.sessionState.newHadoopConfWithOptions(texts)
    ParquetSettings.check(texts, hadoopConf, codec)
    val root = qualified(Directories.rooted(new Path(path)), hadoopConf)
    val streamed = BatchLog.ofBatch(session, root, hadoopConf, options).map(_.newestFiles)
    val before =
      if (streamed.nonEmpty) None
      else filesBefore(root, hadoopConf, data, partitionColumns, mode, toleratesOthers)
    val existing = streamed match {
      case Some(files) => existingLayout(files, hadoopConf, data, caseSensitive)
      case None        => before.flatMap(_.check())
    }
    val named = InternalWriteOptions.namesOf(options).getOrElse(data)
    val resolved = WriteSettings(options, named, caseSensitive, existing, hadoopConf)
    val settings = resolved.copy(shredding = resolved.shredding.withNamesOf(data))
    // An empty batch of a stream writes one file for the schema; further files would add nothing.
    val writesEmptyFile = streamed.forall(_.isEmpty)
    new VariantWrite(
      schema,
      root,
      hadoopConf,
      options,
      partitionColumns,
      mode,
      before,
      settings,
      writesEmptyFile
    )
  }

  /**
   * Returns the checks of the files that a job keeps; None if it replaces all.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the directory is a table of another format
   */
  private def filesBefore(
      root: Path,
      hadoopConf: Configuration,
      data: StructType,
      partitionColumns: Seq[String],
      mode: WriteMode,
      toleratesOthers: Boolean
  ): Option[FilesBefore] = {
    val takesAllFiles = toleratesOthers && partitionColumns.isEmpty
    // Otherwise, this is found where the partitions of the directory are looked for.
    if (takesAllFiles) OtherTables.refuseDirectory(root, hadoopConf)
    Option.unless(mode.replacesAll) {
      // A directory that must be new has no files when the job commits.
      val fits = mode == WriteMode.Create || takesAllFiles
      val columns = Option.unless(fits)(partitionColumns)
      new FilesBefore(root, hadoopConf, data, columns, mode, toleratesOthers)
    }
  }

  /** Returns the layout of the newest file that a stream has written. */
  private def existingLayout(
      files: Seq[FileStatus],
      hadoopConf: Configuration,
      data: StructType,
      caseSensitive: Boolean
  ): Option[ExistingLayout] = {
    val newest = WriteShredding.readable(ExistingLayout.newest(files, hadoopConf))
    newest.foreach(_.checkVariants(data, caseSensitive))
    newest
  }

  private def qualified(path: Path, hadoopConf: Configuration): Path = {
    val fs = path.getFileSystem(hadoopConf)
    path.makeQualified(fs.getUri, fs.getWorkingDirectory)
  }

  private def checkTypes(data: StructType): Unit =
    data.foreach { field =>
      ColumnTypes.check(field)
      if (VariantFileSchema.hasVariantKey(field.dataType))
        throw VariantShreddedErrors.unsupported(
          s"A Variant in the keys of a map, as in the column '${field.name}',",
          "Turn the keys into strings."
        )
    }

  private def find(attributes: Seq[Attribute], name: String, conf: SQLConf): Attribute =
    attributes
      .find(attribute => conf.resolver(attribute.name, name))
      .getOrElse(
        throw VariantShreddedErrors.invalidOption(
          "partitionBy",
          name,
          s"one of the columns ${attributes.map(_.name).mkString("'", "', '", "'")}"
        )
      )
}
