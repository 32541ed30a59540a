package io.github.variantshredded.takeover

import io.github.variantshredded.takeover.DeltaFiles.{call, named}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{FileFormat, HadoopFsRelation, LogicalRelation}

/**
 * Relations of Delta Lake as tables of this source. Delta Lake has chosen the snapshot and the files
 * of the query before, and this source reads these files.
 */
private[takeover] object DeltaRelations {

  final val Source = "delta"

  private final val Format = "org.apache.spark.sql.delta.DeltaParquetFileFormat"

  /** Whether a relation is one of Delta Lake. */
  def has(files: HadoopFsRelation): Boolean = named(files.fileFormat, Format)

  /** Returns the table for a relation, or why there is none. */
  def of(
      session: classic.SparkSession,
      relation: LogicalRelation,
      files: HadoopFsRelation
  ): Either[String, RelationTable] =
    reasonToDecline(relation, files).toLeft(DeltaFiles(session, files.location)).flatMap { chosen =>
      val marked = Option.when(DeltaFiles.haveDeletionVectors(files.location)) {
        DeltaLiveRows(files.location.rootPaths.head.toString)
      }
      RelationDescription
        .of(Source, files)
        .copy(files = chosen, liveRows = marked)
        .table(session, relation)
    }

  private def reasonToDecline(
      relation: LogicalRelation,
      files: HadoopFsRelation
  ): Option[String] = {
    val mapping = call(call(files.fileFormat, "columnMappingMode"), "name")
    def hasTypeChanges = files.schema.exists(_.metadata.contains("delta.typeChanges"))
    Seq[(() => Boolean, String)](
      // In a subquery, in a command, or if the other extension comes later.
      (
        () => !DeltaFiles.areChosen(files.location),
        "Delta Lake has not chosen the files of the query yet"
      ),
      (() => mapping != "none", s"its columns are mapped by $mapping"),
      (() => hasTypeChanges, "the types of its columns have been widened"),
      (
        () =>
          relation.output.exists { case column: AttributeReference =>
            column.name == FileFormat.METADATA_NAME
          },
        "the query reads _metadata"
      )
    ).collectFirst { case (declines, reason) if declines() => reason }
  }
}
