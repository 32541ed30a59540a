package io.github.variantshredded.table

import java.net.URI
import java.util.{Map => JMap, UUID}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.options.{OptionNames, ReadOptions}
import io.github.variantshredded.spark.{ColumnlessTables, SparkErrors, TableInternals}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.{Column, Identifier, Table, TableCatalog, TableInfo}
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Represents a table of Spark's session catalog as a `CREATE` or `REPLACE` statement declares it.
 *
 * @param hasQuery
 *   whether the rows of a query become the only ones of the table
 */
private[variantshredded] final class DeclaredTable(
    session: classic.SparkSession,
    identifier: TableIdentifier,
    info: TableInfo,
    hasQuery: Boolean
) {

  // Spark's catalog passes the properties to the source, which takes those of a table with a
  // provider for properties and not for the options of a read.
  private val properties: JMap[String, String] = {
    val declared = info.properties.asScala
    (Map(TableCatalog.PROP_PROVIDER -> SQLConf.get.defaultDataSourceName) ++ declared).asJava
  }

  private val options = new CaseInsensitiveStringMap(properties)
  private val location: Option[URI] =
    Option(info.properties.get(TableCatalog.PROP_LOCATION))
      .map(DeclaredTable.absolute(session, identifier, _))

  /** Whether Spark removes the files when the table is dropped. */
  val isManaged: Boolean = location.isEmpty

  val hadoopConf: Configuration =
    session.sessionState.newHadoopConfWithOptions(options.asCaseSensitiveMap.asScala.toMap)

  val directory: TableDirectory = new TableDirectory(
    hadoopConf,
    location.getOrElse(session.sessionState.catalog.defaultTablePath(identifier))
  )

  /**
   * Throws the error in which a write or a read would end because of columns and options.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   such as `INVALID_SHREDDING_SPECIFICATION`, `INVALID_VARIANT_SHREDDED_OPTION`
   */
  def check(): Unit = {
    OptionNames.checkTable(info.properties)
    val columns = PartitionColumns.names(info.partitions.toSeq)
    if (info.columns.nonEmpty) DeclaredTable.check(at(directory.path), info.schema)
    else if (location.isDefined) {
      val partitions = if (columns.isEmpty) found.partitionColumns else columns
      DeclaredTable.check(table(directory.path, found.schema, partitions), found.schema)
    }
  }

  /** What the existing files and directories say about what the statement does not declare. */
  private lazy val found: DeclaredTable.FoundColumns = {
    val parameters = properties.asScala.toMap + ("path" -> directory.path.toString)
    val read = CatalogedTable.literal(new CaseInsensitiveStringMap(parameters.asJava))
    val declared = Option.when(info.columns.nonEmpty)(info.schema)
    val files =
      PathTable.reading(session, read, declared.orElse(ReadOptions.Schema.get(read)))
    DeclaredTable.FoundColumns(
      files.schema,
      PartitionColumns.names(files.partitioning.toSeq),
      files.dataSchema.fieldNames.toSeq
    )
  }

  /**
   * Throws Spark's error if the location of a table that a query fills is not empty: the files
   * there would become rows of the table.
   */
  def requireEmptyLocation(): Unit =
    location.filterNot(_ => SQLConf.get.allowNonEmptyLocationInCTAS).foreach { uri =>
      val fs = directory.fs
      val hasFiles = directory.exists && fs.getFileStatus(directory.path).isDirectory &&
        fs.listStatus(directory.path).nonEmpty
      if (hasFiles) throw TableInternals.locationNotEmpty(uri.toString)
    }

  /** Throws Spark's `LOCATION_ALREADY_EXISTS` if Spark would refuse the table because of files. */
  def requireEmptyDirectory(): Unit = {
    val path = directory.path
    if (isManaged && directory.exists && directory.fs.listStatus(path).nonEmpty) {
      val name = identifier.nameParts.map(PartitionColumns.quoted).mkString(".")
      throw SparkErrors.runtime(
        "LOCATION_ALREADY_EXISTS",
        Map("location" -> s"'$path'", "identifier" -> name)
      )
    }
  }

  /**
   * The table as it is created in the catalog. As for Spark's file sources, partition columns are
   * last in their own order, and columns are nullable unless the session enforces `NOT NULL`. Files
   * that a query replaces say nothing about it.
   */
  lazy val stored: TableInfo =
    if (readsFiles && info.columns.nonEmpty && info.partitions.isEmpty)
      withColumns(info.columns.toSeq ++ undeclared, found.partitionColumns)
    else if (info.columns.nonEmpty)
      withColumns(info.columns.toSeq, PartitionColumns.names(info.partitions.toSeq))
    else if (location.isDefined)
      withColumns(columnsOf(found.schema), found.partitionColumns)
    else TableInternals.changed(info, info.columns, info.partitions, properties)

  /** Creates the table in Spark's session catalog. */
  def createIn(catalog: V2SessionCatalog, name: Identifier): Table = {
    val creating =
      if (hasColumnsOfFiles) ColumnlessTables.in(session.sessionState.catalog) else catalog
    creating.createTable(name, stored)
  }

  /**
   * Returns whether the files have a column that their directories name too, and the statement
   * declares no columns. Such a column stays where it is in the files, which Spark's catalogs
   * cannot store: the entry of the table has no columns then, as for Spark's file sources,
   * and each use of the table takes them from the files.
   */
  private def hasColumnsOfFiles: Boolean =
    info.columns.isEmpty && location.isDefined && found.inFiles.exists { name =>
      found.partitionColumns.exists(SQLConf.get.resolver(_, name))
    }

  private def readsFiles: Boolean = !hasQuery && location.isDefined && directory.exists

  /** Returns the partition columns that only the names of the directories tell. */
  private def undeclared: Seq[Column] = columnsOf(
    StructType(found.schema.filterNot { field =>
      info.columns.exists(column => SQLConf.get.resolver(column.name, field.name))
    })
  )

  private def withColumns(columns: Seq[Column], partitions: Seq[String]): TableInfo = {
    val resolver = SQLConf.get.resolver
    val (last, first) = columns.partition(c => partitions.exists(resolver(_, c.name)))
    val inOrder = first ++ partitions.flatMap(name => last.find(c => resolver(name, c.name)))
    val kept = if (DeclaredTable.enforcesNotNull) inOrder else inOrder.map(nullable)
    val transforms = PartitionColumns.transforms(partitions)
    TableInternals.changed(info, kept.toArray, transforms, properties)
  }

  /**
   * Returns the columns with all metadata of the files, such as default values and the lengths of
   * `VARCHAR` columns. Spark's catalog stores the metadata as they are.
   */
  private def columnsOf(schema: StructType): Seq[Column] = schema.toNullable.map { field =>
    val comment = field.getComment().orNull
    Column.create(field.name, field.dataType, true, comment, field.metadata.json)
  }

  private def nullable(column: Column): Column =
    if (column.generationExpression != null || column.identityColumnSpec != null) column
    else
      Column.create(
        column.name,
        StructType(Seq(StructField(column.name, column.dataType))).toNullable.head.dataType,
        true,
        column.comment,
        column.defaultValue,
        column.metadataInJSON
      )

  /** Returns the table for a write to `path`, which replaces all contents. */
  def at(path: Path): CatalogedTable =
    table(path, info.schema, PartitionColumns.names(info.partitions.toSeq))

  private def table(path: Path, schema: StructType, partitions: Seq[String]) =
    CatalogedTable(session, options, Some(path.toString), schema, partitions, replacesTable = true)
}

private[variantshredded] object DeclaredTable {

  /**
   * Holds the columns that were found in the files and in the names of their directories.
   *
   * @param inFiles
   *   names of the columns of the files, those included that the directories name too
   */
  private final case class FoundColumns(
      schema: StructType,
      partitionColumns: Seq[String],
      inFiles: Seq[String]
  )

  /**
   * Returns whether the session enforces `NOT NULL` in files, which Spark can do from version 4.2
   * on.
   */
  def enforcesNotNull: Boolean =
    SQLConf.get.getConfString("spark.sql.fileSource.insert.enforceNotNull", "false").toBoolean

  /** Resolves a relative location of a table against its database, as Spark does. */
  def absolute(session: classic.SparkSession, table: TableIdentifier, location: String): URI = {
    val uri = CatalogUtils.stringToURI(location)
    val catalog = session.sessionState.catalog
    if (uri.isAbsolute || new Path(uri).isAbsolute) uri
    else {
      val database = table.database.getOrElse(catalog.getCurrentDatabase)
      new Path(new Path(catalog.getDatabaseMetadata(database).locationUri), new Path(uri)).toUri
    }
  }

  /** Throws the error in which a write to `table` or a read of it would end. */
  def check(table: CatalogedTable, schema: StructType): Unit = {
    ReadOptions.check(ReadOptions.reading, table.options)
    val _ = table.checkWrite(new WriteOf(schema))
  }

  /**
   * Throws the same error for a table that an entry of the catalog describes.
   *
   * @param schema
   *   an empty one if the columns come from the files, which need not be there
   */
  def check(
      session: classic.SparkSession,
      properties: Map[String, String],
      location: URI,
      schema: StructType,
      partitionColumns: Seq[String]
  ): Unit = {
    val options = new CaseInsensitiveStringMap(properties.asJava)
    val directory = new TableDirectory(session.sessionState.newHadoopConf(), location).path.toString
    if (schema.isEmpty) checkValues(options)
    else check(CatalogedTable(session, options, Some(directory), schema, partitionColumns), schema)
  }

  /** Throws an error for an option with a value that no table can have. */
  private def checkValues(options: CaseInsensitiveStringMap): Unit = {
    ReadOptions.check(ReadOptions.reading ++ WriteOptions.All, options)
    // Spark checks the codec.
    val texts = CaseInsensitiveMap(options.asCaseSensitiveMap.asScala.toMap)
    val _ = new ParquetOptions(texts, SQLConf.get)
  }

  /** Returns whether a property of a table is an option of this source. */
  def isOption(property: String): Boolean =
    property.toLowerCase(java.util.Locale.ROOT).startsWith("shredding") ||
      property.startsWith("parquet.") ||
      (ReadOptions.reading ++ WriteOptions.All).exists(_.isNamed(property))

  private final class WriteOf(override val schema: StructType) extends LogicalWriteInfo {
    override val queryId: String = UUID.randomUUID().toString
    override val options: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
  }
}
