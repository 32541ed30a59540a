package io.github.variantshredded

import java.util.{EnumSet, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.commit.CommittedFileIndex
import io.github.variantshredded.read.{ReaderConf, TableSchema, VariantScanBuilder}
import io.github.variantshredded.spark.{CachedReads, PathPatterns, SparkSchemaChecks}
import io.github.variantshredded.write.{ReplacedFiles, SinkLog, VariantWriteBuilder}
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.{classic, AnalysisException}
import org.apache.spark.sql.connector.catalog.{
  SupportsRead,
  SupportsWrite,
  Table,
  TableCapability,
  TableCatalog,
  TruncatableTable
}
import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.execution.datasources.{
  DataSource,
  FileFormat,
  FileStatusCache,
  PartitioningAwareFileIndex,
  PartitioningUtils
}
import org.apache.spark.sql.execution.datasources.v2.FileTable
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Files below one or more paths, to be read: `spark.read.format("variant-shredded").load(...)`.
 *
 * The files are listed when the table is made, as with Spark's file sources. Being a `FileTable`
 * makes `df.inputFiles` and `spark.catalog.refreshByPath` work. Writing goes through [[PathSink]].
 */
final case class PathTable(
    session: classic.SparkSession,
    options: CaseInsensitiveStringMap,
    paths: Seq[String],
    userSchema: Option[StructType]
) extends FileTable(session, options, paths, userSchema) {

  override def name(): String = {
    val others = if (paths.size > 1) s" and ${paths.size - 1} more" else ""
    s"$formatName ${paths.headOption.getOrElse("")}$others"
  }

  override def formatName: String = Format.Name

  override def capabilities: JSet[TableCapability] = EnumSet.of(BATCH_READ)

  // Spark's, but for files of commits that are not complete.
  override lazy val fileIndex: PartitioningAwareFileIndex = {
    val hadoopConf = ReaderConf.hadoop(session, options)
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    if (FileStreamSink.hasMetadata(paths, hadoopConf, session.sessionState.conf)) {
      new MetadataLogFileIndex(session, new Path(paths.head), parameters, userSchema)
    } else {
      val patterns = options.getBoolean(DataSource.GLOB_PATHS_KEY, true)
      val roots = PathPatterns.resolve(paths.toIndexedSeq, hadoopConf, patterns)
      val cache = FileStatusCache.getOrCreate(session)
      new CommittedFileIndex(session, roots, parameters, userSchema, cache)
    }
  }

  override def supportsDataType(dataType: DataType): Boolean = ColumnTypes.supported(dataType)

  /**
   * The columns of the files, then those of the directories. A column of both has the type of the
   * directory's and the place of the file's, as in Spark's Parquet source: `FileTable` alone would
   * put it at the end.
   */
  override lazy val schema: StructType = {
    val caseSensitive = session.sessionState.conf.caseSensitiveAnalysis
    SparkSchemaChecks.noDuplicates(dataSchema, caseSensitive)
    dataSchema.foreach(ColumnTypes.check)
    SparkSchemaChecks.noDuplicates(fileIndex.partitionSchema, caseSensitive)
    val (merged, _) = PartitioningUtils.mergeDataAndPartitionSchema(
      dataSchema,
      fileIndex.partitionSchema,
      caseSensitive
    )
    merged
  }

  override def inferSchema(files: Seq[FileStatus]): Option[StructType] =
    TableSchema.infer(session, options, files)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    VariantScanBuilder(session, fileIndex, dataSchema, mergedOptions(scanOptions))

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = throw readOnly

  // Asked for when an INSERT INTO names a temporary view or a pattern.
  override def fallbackFileFormat: Class[_ <: FileFormat] = throw readOnly

  private def readOnly: VariantShreddedException = VariantShreddedErrors.unsupported(
    "INSERT INTO a temporary view over files or a pattern of paths",
    s"Write with df.write.format(\"$formatName\").save(path) or to a table."
  )
}

object PathTable {

  /** The files that the options of a read name. */
  private[variantshredded] def reading(
      session: classic.SparkSession,
      options: CaseInsensitiveStringMap,
      userSchema: Option[StructType]
  ): PathTable = {
    VariantShreddedOptions.check(VariantShreddedOptions.reading, options)
    PathTable(session, PathOptions.others(options), PathOptions.requiredPaths(options), userSchema)
  }
}

/**
 * One directory to be written by `df.write.format("variant-shredded").save(path)`; takes any
 * schema.
 */
final class PathSink(
    path: String,
    options: CaseInsensitiveStringMap,
    querySchema: StructType,
    val transforms: Array[Transform]
) extends Table
    with SupportsWrite {

  private val partitionColumns = PartitionColumns.names(transforms.toSeq)

  override def name(): String = s"${Format.Name} $path"

  override def schema(): StructType = querySchema

  override def partitioning(): Array[Transform] = transforms

  override def capabilities(): JSet[TableCapability] =
    EnumSet.of(BATCH_WRITE, TRUNCATE, OVERWRITE_DYNAMIC, ACCEPT_ANY_SCHEMA)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new VariantWriteBuilder(info, path, options, partitionColumns, None)
}

/**
 * A table whose schema and partitioning are known beforehand: one of the session catalog, or a path
 * named in SQL. Its files are listed anew for every scan.
 *
 * @param location
 *   directory of the table; none while Spark's catalog asks what a new table would look like
 * @param replacesTable
 *   whether this table is being put in the place of what the directory holds
 */
final case class CatalogedTable(
    session: classic.SparkSession,
    options: CaseInsensitiveStringMap,
    location: Option[String],
    declaredSchema: StructType,
    partitionColumns: Seq[String],
    replacesTable: Boolean = false
) extends Table
    with SupportsRead
    with SupportsWrite
    with TruncatableTable
    with CachedReads.OfDirectory {

  override def name(): String =
    (Format.Name +: location.toSeq).mkString(" ")

  // Files may come from anywhere: nothing is known to be non-null, as with Spark's file sources.
  override lazy val schema: StructType = {
    declaredSchema.foreach(ColumnTypes.check)
    // An existing table has to stay one that can be altered and dropped.
    if (location.isEmpty) checkLookup(options)
    declaredSchema.toNullable
  }

  override def partitioning(): Array[Transform] = PartitionColumns.transforms(partitionColumns)

  /** As DESCRIBE and SHOW CREATE TABLE show them: the directory is a location, not an option. */
  override def properties(): JMap[String, String] = {
    val shown = options.asCaseSensitiveMap.asScala.toMap - "path"
    val place = location.filterNot(_ => shown.contains(TableCatalog.PROP_LOCATION)).toSeq.flatMap {
      directory =>
        Seq(
          TableCatalog.PROP_LOCATION -> directory,
          TableCatalog.PROP_IS_MANAGED_LOCATION -> "true"
        )
    }
    (shown ++ place).asJava
  }

  override def capabilities(): JSet[TableCapability] =
    EnumSet.of(BATCH_READ, BATCH_WRITE, TRUNCATE, OVERWRITE_BY_FILTER, OVERWRITE_DYNAMIC)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder = {
    val merged = merge(scanOptions)
    checkLookup(merged)
    VariantScanBuilder(session, fileIndex(merged), schema, merged)
  }

  /** Without partition discovery there are no values of partition columns. */
  private def checkLookup(options: CaseInsensitiveStringMap): Unit =
    if (
      partitionColumns.nonEmpty &&
      VariantShreddedOptions.RecursiveFileLookup.get(options).contains(true)
    ) {
      throw new AnalysisException(
        "RECURSIVE_FILE_LOOKUP_NOT_SUPPORTED_FOR_PARTITIONED_DATA_SOURCE",
        Map.empty[String, String]
      )
    }

  /** The files there, or where streams write, those that the log of the stream names. */
  private def fileIndex(options: CaseInsensitiveStringMap): PartitioningAwareFileIndex = {
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    SinkLog.find(session, qualifiedLocation, ReaderConf.hadoop(session, options)) match {
      case Some(_) =>
        new MetadataLogFileIndex(session, qualifiedLocation, parameters, Some(schema))
      case None =>
        new CommittedFileIndex(session, Seq(qualifiedLocation), parameters, Some(schema))
    }
  }

  override def newWriteBuilder(info: LogicalWriteInfo): VariantWriteBuilder =
    new VariantWriteBuilder(
      info,
      requiredLocation,
      options,
      partitionColumns,
      Some(schema),
      replacesTable
    )

  /** `TRUNCATE TABLE` and `DELETE FROM` without a condition. */
  override def truncateTable(): Boolean = {
    ReplacedFiles.truncate(session, qualifiedLocation, ReaderConf.hadoop(session, options))
    true
  }

  /**
   * Two are equal that any session would read the same rows from: Spark plans what it caches in a
   * session of its own, and compares tables to find it again.
   */
  override def equals(other: Any): Boolean = other match {
    case that: CatalogedTable => identity == that.identity
    case _                    => false
  }

  override def hashCode(): Int = identity.hashCode

  private def identity = (options, location, declaredSchema, partitionColumns, replacesTable)

  override def directory: Option[Path] = location.map(_ => qualifiedLocation)

  private def requiredLocation: String = location.getOrElse(
    throw VariantShreddedErrors.invalidOption("path", "", "the directory of the table")
  )

  private def qualifiedLocation: Path = {
    val path = new Path(requiredLocation)
    path.getFileSystem(ReaderConf.hadoop(session, options)).makeQualified(path)
  }

  private def merge(scanOptions: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val all =
      options.asCaseSensitiveMap.asScala ++ scanOptions.asCaseSensitiveMap.asScala
    new CaseInsensitiveStringMap(all.asJava)
  }
}
