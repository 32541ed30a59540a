package io.github.variantshredded.table

import java.util.{EnumSet, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.commit.CommittedFileIndex
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.Format
import io.github.variantshredded.read.options.{OptionNames, ReaderConf, VariantShreddedOptions}
import io.github.variantshredded.read.scan.VariantScanBuilder
import io.github.variantshredded.spark.CachedReads
import io.github.variantshredded.write.{ColumnTypes, ReplacedFiles, SinkLog, VariantWriteBuilder}
import org.apache.hadoop.fs.Path
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
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A table whose schema and partitioning are known in advance: a table of the session catalog, or a
 * path in SQL. Its files are listed again for each scan.
 *
 * @param location
 *   directory of the table; None while Spark's catalog asks for the properties of a new table
 * @param replacesTable
 *   whether this table replaces the contents of the directory
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

  // Files may come from other writers, so all columns are nullable, as in Spark's file sources.
  override lazy val schema: StructType = {
    declaredSchema.foreach(ColumnTypes.check)
    // An existing table is not checked, so that it can still be altered and dropped.
    if (location.isEmpty) checkLookup(options)
    declaredSchema.toNullable
  }

  override def partitioning(): Array[Transform] = PartitionColumns.transforms(partitionColumns)

  /**
   * Returns the properties that DESCRIBE and SHOW CREATE TABLE show: the directory is a location, not
   * an option, and the format has the name that SQL takes without backticks.
   */
  override def properties(): JMap[String, String] = {
    val shown = (options.asCaseSensitiveMap.asScala.toMap - "path").map {
      case (TableCatalog.PROP_PROVIDER, _) => TableCatalog.PROP_PROVIDER -> Format.SqlName
      case other                           => other
    }
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
    OptionNames.check(scanOptions)
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

  /** The files of the directory, or the files in its log if streams write to it. */
  private def fileIndex(options: CaseInsensitiveStringMap): PartitioningAwareFileIndex = {
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    SinkLog.find(session, qualifiedLocation, ReaderConf.hadoop(session, options)) match {
      case Some(_) =>
        new MetadataLogFileIndex(session, qualifiedLocation, parameters, Some(schema))
      case None =>
        new CommittedFileIndex(session, Seq(qualifiedLocation), parameters, Some(schema))
    }
  }

  override def newWriteBuilder(info: LogicalWriteInfo): VariantWriteBuilder = {
    OptionNames.check(info.options)
    new VariantWriteBuilder(
      info,
      requiredLocation,
      options,
      partitionColumns,
      Some(schema),
      replacesTable
    )
  }

  /** Runs `TRUNCATE TABLE`, and `DELETE FROM` without a condition. */
  override def truncateTable(): Boolean = {
    ReplacedFiles.truncate(session, qualifiedLocation, ReaderConf.hadoop(session, options))
    true
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
