package io.github.variantshredded.table

import java.util.{Collections, EnumSet, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.commit.{CommittedFileIndex, StreamLog}
import io.github.variantshredded.directory.{Directories, PartitionDirectories}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.{Format, MergedOptions}
import io.github.variantshredded.read.options.{OptionNames, ReaderConf, ReadOptions}
import io.github.variantshredded.read.scan.{ScannedFiles, VariantScanBuilder}
import io.github.variantshredded.spark.CachedReads
import io.github.variantshredded.write.{
  ColumnTypes,
  DataFileChanges,
  StreamedBatch,
  StreamedWriteBuilder,
  StreamTarget,
  VariantWriteBuilder
}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.SparkException
import org.apache.spark.sql.{classic, AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, DateTimeUtils}
import org.apache.spark.sql.connector.catalog.{
  SupportsAtomicPartitionManagement,
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
  PartitioningAwareFileIndex,
  PathFilterFactory,
  PathFilterStrategy
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructType, TimestampType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Represents a table whose schema and partitioning are known in advance: a table of the session
 * catalog, or a path in SQL. Its files are listed again for each query.
 *
 * @param location
 *   directory of the table; None while Spark's catalog asks for the properties of a new table
 * @param replacesTable
 *   whether this table replaces the contents of the directory
 * @param entry
 *   what the session catalog knows about the table, if a statement has looked it up
 * @param isPath
 *   whether the table is a path in SQL. The partition columns of an existing one are those of its
 *   directories.
 */
final case class CatalogedTable(
    session: classic.SparkSession,
    options: CaseInsensitiveStringMap,
    location: Option[String],
    declaredSchema: StructType,
    partitionColumns: Seq[String],
    replacesTable: Boolean = false,
    entry: Option[TableEntry] = None,
    isPath: Boolean = false
) extends Table
    with SupportsRead
    with SupportsWrite
    with TruncatableTable
    with SupportsAtomicPartitionManagement
    with CachedReads.OfDirectory
    with WithFileMetadata {

  override def name(): String =
    entry.fold((Format.Name +: location.toSeq).mkString(" "))(_.name)

  // Messages of Spark print the table, for example if an overwrite is not supported.
  override def toString: String = name()

  // Files may come from other writers, so all columns are nullable, as in Spark's file sources.
  // Statements that print the table print NOT NULL.
  override lazy val schema: StructType = {
    declaredSchema.foreach(ColumnTypes.check)
    // An existing table is not checked, so that it can still be altered and dropped.
    if (location.isEmpty) checkLookup(options)
    if (entry.isEmpty) declaredSchema.toNullable else declaredSchema
  }

  override def partitioning(): Array[Transform] = PartitionColumns.transforms(partitionColumns)

  /**
   * Returns the properties that DESCRIBE and SHOW CREATE TABLE show: the directory is a location, not
   * an option, and the format has the name that SQL takes without backticks.
   */
  override def properties(): JMap[String, String] = {
    val shown = options.asCaseSensitiveMap.asScala.toMap - "path" +
      (TableCatalog.PROP_PROVIDER -> Format.SqlName) ++ entry.fold(Map.empty[String, String])(
        _.properties
      )
    val isManaged = entry.fold(!shown.contains(TableCatalog.PROP_LOCATION))(_.isManaged)
    val kind =
      if (!isManaged) Some(TableCatalog.PROP_EXTERNAL)
      else location.map(_ => TableCatalog.PROP_IS_MANAGED_LOCATION)
    val locationProperty = location
      .filterNot(_ => shown.contains(TableCatalog.PROP_LOCATION))
      .map(TableCatalog.PROP_LOCATION -> _)
    (shown ++ locationProperty ++ kind.map(_ -> "true")).asJava
  }

  override def capabilities(): JSet[TableCapability] =
    EnumSet.of(
      BATCH_READ,
      MICRO_BATCH_READ,
      BATCH_WRITE,
      STREAMING_WRITE,
      TRUNCATE,
      OVERWRITE_BY_FILTER,
      OVERWRITE_DYNAMIC
    )

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder = {
    OptionNames.check(scanOptions)
    val merged = CatalogedTable.literal(merge(scanOptions))
    checkLookup(merged)
    val added = PathOptions.added(options, scanOptions)
    if (isPath) PathOptions.checkScan(options, added)
    val read = copy(options = merged)
    val index = QueryListings.of(read, qualifiedLocation)(fileIndex(merged))
    if (isPath && merged != options) PathOptions.checkScan(index, partitionColumns, added)
    VariantScanBuilder(session, ScannedFiles(index, location), schema, merged)
  }

  /** Refuses reads of a partitioned table without partition discovery, which finds the values. */
  private def checkLookup(options: CaseInsensitiveStringMap): Unit =
    if (
      partitionColumns.nonEmpty &&
      ReadOptions.RecursiveFileLookup.of(options)
    ) throw CatalogedTable.recursiveLookup

  /** Returns the data files, as a scan would find them. */
  def files: Seq[FileStatus] = fileIndex(options).allFiles()

  /** Lets cached queries on the table list its files again. */
  def refreshCaches(): Unit = CachedReads.refresh(session, qualifiedLocation, hadoopConf)

  /** Returns the files of the directory, or the files in its log if streams write to it. */
  private def fileIndex(options: CaseInsensitiveStringMap): PartitioningAwareFileIndex = {
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    val conf = ReaderConf.hadoop(session, options)
    val inLog =
      if (!StreamLog.isUsed(session, qualifiedLocation, conf)) None
      else StreamLog.read(session, qualifiedLocation, conf, parameters, Some(schema))
    inLog.getOrElse(
      new CommittedFileIndex(session, Seq(qualifiedLocation), parameters, Some(schema))
    )
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = {
    OptionNames.check(info.options)
    checkTimeZone(info.options)
    StreamedBatch.of(session, info) match {
      case None        => batchBuilder(info)
      case Some(batch) =>
        // The session that has loaded the table may be another one than that of the stream.
        val ofStream = SparkSession.getActiveSession.collect { case active: classic.SparkSession =>
          copy(session = active)
        }
        ofStream.getOrElse(this).streamedBuilder(batch, info)
    }
  }

  private def streamedBuilder(batch: StreamedBatch, info: LogicalWriteInfo): WriteBuilder = {
    val all = merge(info.options)
    val conf = ReaderConf.hadoop(session, all)
    WrittenLocation.check(qualifiedLocation, Option(info.options.get("path")), conf)
    val target = StreamTarget(session, qualifiedLocation, conf, all)
    new StreamedWriteBuilder(batch, target, info, partitionColumns, schema)
  }

  /** Refuses to name directories in a time zone in which readers of the table do not read them. */
  private def checkTimeZone(written: CaseInsensitiveStringMap): Unit = {
    def rules(zone: String) = DateTimeUtils.getZoneId(zone).getRules
    val own = WriteOptions.timeZone(options, SQLConf.get)
    WriteOptions.TimeZone
      .get(written)
      // A path has no options of its own: each of its readers has a time zone.
      .filter(_ => !isPath && partitionSchema.exists(_.dataType == TimestampType))
      .filterNot(zone => rules(zone) == rules(own))
      .foreach { zone =>
        val expected = s"'$own', in which the partition columns of ${name()} are read"
        throw VariantShreddedErrors.invalidOption(WriteOptions.TimeZone.name, zone, expected)
      }
  }

  private def batchBuilder(info: LogicalWriteInfo): VariantWriteBuilder =
    new VariantWriteBuilder(
      info,
      requiredLocation,
      options,
      partitionColumns,
      Some(schema),
      replacesTable,
      toleratesOthers = !isPath && (partitionColumns.nonEmpty || readsAllFiles)
    )

  /** Returns whether readers see files beside partitions too. */
  private def readsAllFiles: Boolean = ReadOptions.RecursiveFileLookup.of(options)

  /** Throws the error in which an overwrite would end because of its columns and options. */
  def checkWrite(info: LogicalWriteInfo): Unit = {
    val _ = batchBuilder(info).truncate().build()
  }

  /** Runs `TRUNCATE TABLE`, and `DELETE FROM` without a predicate. Partitions stay, but empty. */
  override def truncateTable(): Boolean = {
    DataFileChanges.truncate(session, qualifiedLocation, hadoopConf) {
      if (partitionColumns.isEmpty) Nil else partitions.all.map(_.path)
    }
    true
  }

  /** Returns the partitions, which are the directories of the table. */
  def partitions: TablePartitions = new TablePartitions(
    session,
    name(),
    qualifiedLocation,
    hadoopConf,
    PartitionDirectories(partitionSchema, WriteOptions.timeZone(options, SQLConf.get)),
    () => files,
    file => filters.forall(_.accept(file))
  )

  /** The options that choose files by their names and times. */
  private def filters: Seq[PathFilterStrategy] =
    PathFilterFactory.create(CaseInsensitiveMap(options.asCaseSensitiveMap.asScala.toMap))

  override lazy val partitionSchema: StructType = StructType(
    partitionColumns.flatMap(name => schema.find(field => SQLConf.get.resolver(field.name, name)))
  )

  override def createPartitions(
      values: Array[InternalRow],
      properties: Array[JMap[String, String]]
  ): Unit = partitions.create(
    values.toSeq.zip(properties.map(declared => Option(declared.get("location"))))
  )

  override def dropPartitions(values: Array[InternalRow]): Boolean = {
    partitions.drop(values.toSeq)
    values.nonEmpty
  }

  override def purgePartitions(values: Array[InternalRow]): Boolean = dropPartitions(values)

  override def purgePartition(values: InternalRow): Boolean = dropPartition(values)

  override def partitionExists(values: InternalRow): Boolean = partitions.exists(values)

  override def listPartitionIdentifiers(
      names: Array[String],
      values: InternalRow
  ): Array[InternalRow] = {
    val found = partitions.find(names.toSeq, values).map(_.values)
    // Several directories can have the same values, which then are one partition.
    (if (names.length == partitionColumns.length) found.take(1) else found.distinct).toArray
  }

  override def loadPartitionMetadata(values: InternalRow): JMap[String, String] =
    Collections.singletonMap("location", partitions.required(values).head.path.toString)

  override def replacePartitionMetadata(
      values: InternalRow,
      properties: JMap[String, String]
  ): Unit = throw VariantShreddedErrors.unsupported(
    "A partition with properties",
    "Set properties of the table instead."
  )

  override def renamePartition(from: InternalRow, to: InternalRow): Boolean = {
    partitions.rename(from, to)
    true
  }

  override def truncatePartition(values: InternalRow): Boolean = {
    partitions.required(values)
    truncatePartitions(Array(values))
  }

  override def truncatePartitions(values: Array[InternalRow]): Boolean = {
    partitions.truncate(values.toSeq)
    values.nonEmpty
  }

  /**
   * Two tables are equal if every session would read the same rows from them: Spark plans cached
   * queries in a session of their own, and compares tables to find them again.
   */
  override def equals(other: Any): Boolean = other match {
    case that: CatalogedTable => identity == that.identity
    case _                    => false
  }

  override def hashCode(): Int = identity.hashCode

  private def identity =
    (options, location, declaredSchema, partitionColumns, replacesTable, entry)

  override def directory: Option[Path] = location.map(_ => qualifiedLocation)

  private def requiredLocation: String = location.getOrElse(
    throw VariantShreddedErrors.invalidOption("path", "", "the directory of the table")
  )

  private def qualifiedLocation: Path =
    Directories.qualified(new Path(requiredLocation), hadoopConf)

  private def hadoopConf: Configuration = ReaderConf.hadoop(session, options)

  private def merge(added: CaseInsensitiveStringMap): CaseInsensitiveStringMap =
    MergedOptions(options, added)
}

private[variantshredded] object CatalogedTable {

  /** Returns the error of Spark. Spark 4.1 has no such condition. */
  private def recursiveLookup: Throwable =
    try {
      new AnalysisException(
        "RECURSIVE_FILE_LOOKUP_NOT_SUPPORTED_FOR_PARTITIONED_DATA_SOURCE",
        Map.empty[String, String]
      )
    } catch {
      case _: SparkException =>
        VariantShreddedErrors.unsupported(
          s"${ReadOptions.RecursiveFileLookup.name} for a table with partition columns",
          "Their values are found by the directories."
        )
    }

  /**
   * Returns the options of a read of a table whose columns come from its files. The source of an
   * entry without a provider is that of the session, which the options do not name.
   */
  def ofEntry(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val named = Map(TableCatalog.PROP_PROVIDER -> Format.SqlName)
    literal(new CaseInsensitiveStringMap((named ++ options.asCaseSensitiveMap.asScala).asJava))
  }

  /** Lets reads take the location as it is: it may have characters of a pattern, such as `[`. */
  def literal(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val all = options.asCaseSensitiveMap.asScala.toMap + (DataSource.GLOB_PATHS_KEY -> "false")
    new CaseInsensitiveStringMap(all.asJava)
  }
}
