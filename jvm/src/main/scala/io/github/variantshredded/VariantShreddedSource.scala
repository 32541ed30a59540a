package io.github.variantshredded

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.Format
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.spark.{CatalogCalls, StreamInternals}
import io.github.variantshredded.table.{
  CatalogedTable,
  PartitionColumns,
  PathOptions,
  PathSave,
  PathSink,
  PathTable
}
import io.github.variantshredded.write.ColumnTypes
import org.apache.spark.sql.{DataFrame, SaveMode, SparkSession, SQLContext}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.{Table, TableCatalog, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.streaming.{Sink, Source}
import org.apache.spark.sql.sources._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Provides the format `variant-shredded`: the class that Spark looks up.
 * [[VariantShreddedSqlSource]] is the same format by a name that SQL takes without backticks.
 *
 * A read returns a DataSource V2 table. A save to a path enters through `createRelation`, because
 * Spark passes the save mode and the partition columns for new paths to no other method. `PathSave`
 * passes it on to the V2 write of `PathSink`. Tables by name come from Spark's session catalog
 * through [[getTable]], and are V2 for reads and writes.
 */
class VariantShreddedSource
    extends TableProvider
    with DataSourceRegister
    with CreatableRelationProvider
    with StreamSourceProvider
    with StreamSinkProvider {

  import VariantShreddedSource._

  SessionSetup.addRules()

  // Spark asks one instance for the schema, the partitioning and the table, in this order, and the
  // files should be listed only once.
  private var inferred: Option[PathTable] = None
  override def shortName(): String = ShortName

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = {
    val table = readTable(options)
    val schema = table.schema
    inferred = Some(table)
    schema
  }

  override def inferPartitioning(options: CaseInsensitiveStringMap): Array[Transform] =
    alreadyInferred(options).fold(Array.empty[Transform])(_.partitioning)

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    val options = new CaseInsensitiveStringMap(properties)
    if (options.containsKey(PathSave.SinkOption)) {
      new PathSink(singlePath(options), options, schema, partitioning)
    } else if (options.containsKey(TableCatalog.PROP_PROVIDER) || CatalogCalls.isTableByName) {
      lazy val isDrop = CatalogCalls.isDrop
      // The columns come from the files, which may be gone when the table is dropped.
      val files = Option.when(schema.isEmpty && partitioning.isEmpty && !isDrop) {
        readTable(CatalogedTable.ofEntry(options))
      }
      val transforms = files.fold(partitioning)(_.partitioning).toSeq
      // `LIKE` as the first statement of a session may have made a table with buckets.
      val isDropped = !transforms.forall(PartitionColumns.isColumn) && isDrop
      val columns = PartitionColumns.names(if (isDropped) Nil else transforms)
      val path = Option(options.get("path"))
      CatalogedTable(session, options, path, files.fold(schema)(_.schema), columns)
    } else {
      alreadyInferred(options).getOrElse(
        PathTable.reading(session, options, Some(schema), isStream = !CatalogCalls.isBatchRead)
      )
    }
  }

  override def createRelation(
      sqlContext: SQLContext,
      mode: SaveMode,
      parameters: Map[String, String],
      data: DataFrame
  ): BaseRelation = {
    // Spark passes the write that PathSave has started to the first interface again.
    if (parameters.contains(PathSave.SinkOption))
      throw VariantShreddedErrors.unsupported(
        "Writing while spark.sql.sources.useV1SourceList names this source",
        "Remove it from the setting."
      )
    PathSave(session, mode, parameters, data)
    SavedRelation(sqlContext, data.schema)
  }

  override def supportsDataType(dataType: DataType): Boolean = ColumnTypes.supported(dataType)

  /**
   * Checks that a stream has a schema, as Spark's file sources do. Spark calls this method before
   * [[inferSchema]] and [[getTable]] if a stream is read, and only then. It does not use the result.
   */
  override def sourceSchema(
      sqlContext: SQLContext,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): (String, StructType) = {
    val options = new CaseInsensitiveStringMap(parameters.asJava)
    val known = schema.orElse(ReadOptions.Schema.get(options))
    if (known.isEmpty && !sessionOf(sqlContext).sessionState.conf.streamingSchemaInference) {
      throw StreamInternals.schemaNotSpecified()
    }
    (ShortName, known.getOrElse(new StructType))
  }

  // Spark calls this method only if a setting forbids streams of its second interface.
  override def createSource(
      sqlContext: SQLContext,
      metadataPath: String,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): Source = throw VariantShreddedErrors.unsupported(
    "Reading a stream while spark.sql.streaming.disabledV2MicroBatchReaders names this source",
    "Remove it from the setting."
  )

  override def createSink(
      sqlContext: SQLContext,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      outputMode: OutputMode
  ): Sink = VariantStreamSink(sessionOf(sqlContext), parameters, partitionColumns, outputMode)

  /** Returns the session of a stream, which need not be the active one. */
  private def sessionOf(sqlContext: SQLContext): classic.SparkSession =
    SessionSetup.classicSession(sqlContext.sparkSession)

  // Spark's errors print the provider.
  override def toString: String = ShortName

  private def alreadyInferred(options: CaseInsensitiveStringMap): Option[PathTable] =
    inferred
      .filter(_.options == PathOptions.others(options))
      .filter(_.paths == PathOptions.paths(options))

  private def readTable(options: CaseInsensitiveStringMap): PathTable =
    PathTable.reading(session, options, ReadOptions.Schema.get(options))

  private def session: classic.SparkSession = SessionSetup.classicSession(SparkSession.active)
}

object VariantShreddedSource {

  /** The name of the format. */
  val ShortName: String = Format.Name

  /** Represents the relation that a save returns to Spark, which reads nothing from it. */
  private final case class SavedRelation(override val sqlContext: SQLContext, schema: StructType)
      extends BaseRelation

  private def singlePath(options: CaseInsensitiveStringMap): String =
    Option(options.get("path")).getOrElse(throw PathSave.missingPath)
}
