package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.columns.FileMetadata
import io.github.variantshredded.read.file.FileOverlay
import io.github.variantshredded.read.footer.ColumnNames
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.takeover.ByName.{call, isOf}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{FileFormat, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Turns relations of Delta Lake into tables of this source. Delta Lake has chosen the snapshot and
 * the files of the query before, and this source reads these files.
 */
private[takeover] object DeltaRelations {

  final val Source = "delta"

  /**
   * The reason to decline a relation for which Delta Lake chooses the files later, as in a subquery
   * or a command, or if its extension comes after that of this source.
   */
  final val NotChosen =
    "Delta Lake has not chosen the files of the query yet; is its extension named first?"

  private final val Format = "org.apache.spark.sql.delta.DeltaParquetFileFormat"

  private final val MappingModes = Set("none", "name", "id")

  /** Returns whether a relation is one of Delta Lake. */
  def has(files: HadoopFsRelation): Boolean = isOf(files.fileFormat, Format)

  /** Returns whether Delta Lake chooses the files of queries before Spark reads them. */
  def chooses(conf: SQLConf): Boolean = !RelationDescription.isFalse(conf, Skipping)

  private final val Skipping = "spark.databricks.delta.stats.skipping"

  /** Returns the table for a relation, or why there is none. */
  def of(
      session: classic.SparkSession,
      relation: LogicalRelation,
      files: HadoopFsRelation
  ): Either[String, RelationTable] = {
    val mode = call(call(files.fileFormat, "columnMappingMode"), "name").toString
    for {
      _ <- reasonToDecline(relation, files, mode).toLeft(())
      found = RelationDescription.of(OtherSource(Source), files)
      // The index may have other metadata of the columns than the relation, such as an expression
      // that generates them.
      described = found.copy(
        columns = found.columns.copy(partition = files.location.partitionSchema),
        options = options(files)
      )
      mapped =
        if (mode == "none") described
        else
          described.copy(overlay = FileOverlay(columnNames = Some(namesOf(found.session, files))))
      table <- mapped.table(session, relation)
      _ <- Either.cond(DeltaFiles.areChosen(files.location), (), NotChosen)
    } yield table.copy(
      files = DeltaFiles(found.session, files.location),
      overlay =
        table.overlay.copy(liveRows = Option.when(DeltaFiles.haveDeletionVectors(files.location)) {
          DeltaLiveRows(files.location.rootPaths.head.toString)
        })
    )
  }

  /** Returns the options of a relation: Delta Lake passes on none of a read, but has properties. */
  private def options(files: HadoopFsRelation): CaseInsensitiveStringMap = {
    val metadata = call(files.fileFormat, "metadata")
    val properties = call(metadata, "configuration").asInstanceOf[Map[String, String]]
    val own = ReadOptions.TakeOverOption.name
    val ofTable = properties.collectFirst {
      case (key, value) if key.equalsIgnoreCase(own) => value
    }
    new CaseInsensitiveStringMap((files.options ++ ofTable.map(own -> _)).asJava)
  }

  /** Returns how the columns of a table with column mapping are named in its files. */
  private def namesOf(session: classic.SparkSession, files: HadoopFsRelation): ColumnNames = {
    val table = files.dataSchema
    val stored = files.fileFormat.getClass
      .getMethod("prepareSchemaForRead", classOf[StructType])
      .invoke(files.fileFormat, table)
    ColumnNames(
      table,
      stored.asInstanceOf[StructType],
      session.sessionState.conf.caseSensitiveAnalysis
    )
  }

  private def reasonToDecline(
      relation: LogicalRelation,
      files: HadoopFsRelation,
      mode: String
  ): Option[String] = {
    def hasTypeChanges = {
      // Of the log, since the columns of the relation may have lost their metadata.
      val columns = call(files.fileFormat, "referenceSchema").asInstanceOf[StructType]
      haveTypeChanges(columns)
    }
    Seq[(() => Boolean, String)](
      (() => !MappingModes(mode), s"its columns are mapped by $mode"),
      (() => hasTypeChanges, "the types of its columns have been widened"),
      (
        () => relation.output.exists(isMetadataOfRows),
        "the query reads _metadata of a table with row tracking"
      )
    ).collectFirst { case (declines, reason) if declines() => reason }
  }

  private def haveTypeChanges(dataType: DataType): Boolean = dataType match {
    case struct: StructType =>
      struct.exists { field =>
        field.metadata.contains("delta.typeChanges") || haveTypeChanges(field.dataType)
      }
    case array: ArrayType => haveTypeChanges(array.elementType)
    case map: MapType     => haveTypeChanges(map.keyType) || haveTypeChanges(map.valueType)
    case _                => false
  }

  /**
   * Returns whether a column is `_metadata` with fields of which only Delta Lake knows the values.
   */
  private def isMetadataOfRows(column: AttributeReference): Boolean =
    column.name == FileFormat.METADATA_NAME &&
      !fieldNames(column.dataType).subsetOf(fieldNames(FileMetadata.column.dataType))

  private def fieldNames(dataType: DataType): Set[String] = dataType match {
    case struct: StructType => struct.map { field: StructField => field.name }.toSet
    case _                  => Set.empty
  }
}
