package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.FileOverlay
import io.github.variantshredded.read.footer.ColumnNames
import org.apache.iceberg.{FileScanTask, IcebergBuild, SerializableTable}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExprId}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Turns relations of Iceberg into tables of this source. Iceberg plans which files a query reads,
 * and which rows of them are deleted; this source reads these files.
 *
 * What Iceberg's table for Spark knows of the snapshot is called by name, and so only versions that
 * have been tested are taken over.
 */
private[takeover] object IcebergRelations {

  final val Source = "iceberg"

  /**
   * Returns the table for a relation, or why there is none.
   *
   * @param read
   *   the columns that the query reads
   * @param filters
   *   predicates that all rows of the query's answer meet
   * @param hasFileFunctions
   *   whether a function of the query tells of the file that a row comes from
   */
  def of(
      session: classic.SparkSession,
      relation: DataSourceV2Relation,
      read: Set[ExprId],
      filters: Seq[Expression],
      hasFileFunctions: => Boolean
  ): Either[String, RelationTable] =
    for {
      _ <- IcebergReasons.ofVersion(IcebergBuild.version).toLeft(())
      pinned = new PinnedIcebergTable(relation)
      caseSensitive = session.sessionState.conf.caseSensitiveAnalysis
      _ <- Option
        .when(pinned.isSwitchedOff)(RelationDescription.SwitchedOff)
        .orElse(
          Option.when(hasFileFunctions)("the query uses input_file_name or a function like it")
        )
        .orElse(IcebergReasons.ofTable(session, relation, read, pinned))
        .orElse(IcebergReasons.ofIceberg(relation))
        .toLeft(())
      columns <- pinned.columns
      names = pinned.columnsOfSpark
      filesOf = (tasks: Seq[FileScanTask]) =>
        new PrunedIcebergFiles(
          session,
          new IcebergFiles(pinned.table, pinned.snapshot, pinned.schema, tasks, caseSensitive)
        )
      withoutFiles = RelationDescription(
        OtherSource(Source, asSpark = false),
        session,
        filesOf(Nil),
        RelationColumns(ofFiles = names, partition = new StructType, all = names),
        new CaseInsensitiveStringMap(pinned.options.asJava)
      )
      // Planning reads the manifests, so the other reasons come first.
      _ <- withoutFiles.reasonToDecline(session, relation).toLeft(())
      tasks <- pinned.plan(filters, caseSensitive)(IcebergReasons.ofFile(session, pinned))
    } yield withoutFiles
      .copy(
        files = filesOf(tasks),
        overlay = FileOverlay(
          Option.when(tasks.exists(!_.deletes.isEmpty)) {
            IcebergLiveRows(
              SerializableTable.copyOf(pinned.table).io,
              Option.when(IcebergLiveRows.isCached(session))(pinned.table.name)
            )
          },
          Some(ColumnNames(names, columns, caseSensitive))
        )
      )
      .table
}
