package io.github.variantshredded.table.statement

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.{CatalogedTable, TableEntry}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedPartitionSpec, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog

/**
 * Prepares statements on a table of this source in Spark's session catalog. The table gets what the
 * catalog knows about it. Statements that Spark does not run on tables of its second interface are
 * replaced by this source's own, and those that would lose files of others are refused. So are
 * changes of the partitions of a path.
 */
private[variantshredded] final class OwnStatements(session: classic.SparkSession) {

  /** Returns the statement to run; None if it is not one on a table of this source. */
  def of(statement: LogicalPlan): Option[LogicalPlan] = statement match {
    case _: V2PartitionCommand | _: DescribeRelation | _: ShowCreateTable | _: RepairTable |
        _: RecoverPartitions | _: AnalyzeTable | _: AnalyzeColumn | _: TruncateTable =>
      statement.children.collectFirst {
        case resolved @ ResolvedTable(_: V2SessionCatalog, name, table: CatalogedTable, _)
            if table.entry.isEmpty =>
          val identifier = TableInternals.identifier(name)
          val known = table.copy(entry = Some(TableEntry.of(session, identifier)))
          replaced(statement, known, identifier)
            .getOrElse(statement.withNewChildren(Seq(resolved.copy(table = known))))
        case ResolvedTable(_, _, table: CatalogedTable, _) if table.isPath && changes(statement) =>
          throw VariantShreddedErrors.unsupported(
            s"ALTER TABLE ... PARTITION of the path ${table.name()}",
            s"A path has no entries to change. Delete rows by DELETE FROM ${table.name()} WHERE ..."
          )
      }
    case _ => None
  }

  private def changes(statement: LogicalPlan): Boolean = statement match {
    case _: AddPartitions | _: DropPartitions | _: RenamePartitions => true
    case _                                                          => false
  }

  private def replaced(
      statement: LogicalPlan,
      table: CatalogedTable,
      name: TableIdentifier
  ): Option[LogicalPlan] = statement match {
    case show: ShowPartitions =>
      val spec = show.pattern.collect { case resolved: ResolvedPartitionSpec => resolved }
      Some(ShowPartitionsStatement(table, spec, show.output))
    case _: RepairTable       => Some(RepairStatement(table, qualified(name), "MSCK REPAIR TABLE"))
    case _: RecoverPartitions =>
      Some(RepairStatement(table, qualified(name), "ALTER TABLE RECOVER PARTITIONS"))
    case analyze: AnalyzeTable if analyze.partitionSpec.isEmpty =>
      Some(AnalyzeStatement(table, name, analyze.noScan))
    case _: AnalyzeTable | _: AnalyzeColumn =>
      throw VariantShreddedErrors.unsupported(
        "ANALYZE TABLE of a partition or FOR COLUMNS",
        "The planner takes bytes and rows of partitions from the files; ANALYZE TABLE ... COMPUTE " +
          "STATISTICS stores those of the table."
      )
    case _: TruncateTable | _: TruncatePartition if isExternal(table) =>
      throw TableInternals.truncatedExternal(qualified(name))
    case _: DropPartitions if isExternal(table) =>
      throw VariantShreddedErrors.unsupported(
        s"DROP PARTITION of the external table ${table.name()}",
        "It would have to delete files, and Spark does not delete those of external tables. " +
          s"Delete the rows: DELETE FROM ${table.name()} WHERE ..."
      )
    case _ => None
  }

  private def isExternal(table: CatalogedTable): Boolean = !table.entry.exists(_.isManaged)

  /** Returns the name with the catalog, as Spark's errors print it. */
  private def qualified(name: TableIdentifier): TableIdentifier =
    session.sessionState.catalog.getTableMetadata(name).identifier
}
