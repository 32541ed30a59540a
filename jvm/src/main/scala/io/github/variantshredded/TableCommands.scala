package io.github.variantshredded

import scala.jdk.OptionConverters._
import scala.util.Try

import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.{
  CatalogedTable,
  NotNullColumns,
  OtherSessionCatalogs,
  OverwrittenTable,
  PartitionClause,
  SessionTables,
  SeveralInserts,
  WrittenLocation
}
import io.github.variantshredded.table.statement.{
  AnalyzeTablesStatement,
  DeleteStatement,
  InsertDirectoryStatement,
  LikeStatement,
  OwnStatements,
  RefreshPathStatement,
  RefreshViewStatement,
  ReplaceTableStatement
}
import io.github.variantshredded.write.PartitionOrder
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.execution.command.{
  AnalyzeTablesCommand,
  CreateTableLikeCommand,
  DDLUtils,
  InsertIntoDataSourceDirCommand,
  RefreshTableCommand
}
import org.apache.spark.sql.execution.datasources.RefreshResource
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog

/**
 * Changes the plans of statements about tables of this source, as an optimizer rule.
 *
 * [[SessionTables]] runs those that create, replace or alter a table in Spark's session catalog:
 * Spark's catalog would drop a table before it runs the query that replaces it, and would accept any
 * change of columns. [[OwnStatements]] are those that Spark does not run on tables of its second
 * interface, such as `MSCK REPAIR TABLE`. [[PartitionOrder]] sorts the rows of a write. A rule is the
 * only hook for this that a source can set at run time.
 */
private[variantshredded] object TableCommands
    extends Rule[LogicalPlan]
    with PartitionOrder.SortsWrites {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    SeveralInserts.refuse(session, plan)
    plan.transformDownWithPruning(_.containsPattern(COMMAND)) {
      case create: CreateTable           => routed(create, isOurs(create.tableSpec))
      case create: CreateTableAsSelect   => filled(create, create.tableSpec)
      case replace: ReplaceTable         => filled(replace, replace.tableSpec)
      case replace: ReplaceTableAsSelect => filled(replace, replace.tableSpec)
      case alter: AlterTableCommand      => routed(alter, ours = true)
      case delete: DeleteFromTable       => DeleteStatement.of(session, delete)
      case write: V2WriteCommand         =>
        PartitionClause.check(session, write)
        WrittenLocation.check(session, write)
        NotNullColumns.asserted(PartitionOrder.sorted(write))
      case insert: InsertIntoDataSourceDirCommand if isOurs(insert.provider) =>
        InsertDirectoryStatement(session, insert.storage, insert.query, insert.overwrite)
      case refresh: RefreshResource => RefreshPathStatement(session, refresh)
      case refresh: RefreshTableCommand if isTemporaryView(refresh.tableIdent) =>
        RefreshViewStatement(session, refresh)
      case analyze: AnalyzeTablesCommand => AnalyzeTablesStatement(session, analyze, isOurs)
      case other                         =>
        val saved = TableInternals.overwrittenTable(other).toScala
        val ours = saved.filter(_.table.provider.exists(isOurs))
        if (ours.isEmpty) saved.foreach(OverwrittenTable.refuseIfRead(session, _))
        else OtherSessionCatalogs.refuseReplacement(session)
        TableInternals.overwrittenPath(other).ifPresent(OverwrittenTable.refuseIfRead(session, _))
        new OwnStatements(session)
          .of(other)
          .orElse(like(other))
          .orElse(ours.map(ReplaceTableStatement(session, _)))
          .getOrElse(other)
    }
  }

  /**
   * Returns the statement that runs `CREATE TABLE ... LIKE`, if the new table or the other one is of
   * this source. From version 4.2 on, Spark leaves the second case to its session catalog, which
   * cannot do it.
   */
  private def like(statement: LogicalPlan): Option[LogicalPlan] =
    TableInternals.tableLike(statement).toScala.flatMap { create =>
      def isLikeOurs = statement.children.exists {
        case ResolvedTable(_, _, _: CatalogedTable, _) => true
        case _                                         => false
      }
      if (makesOurs(create)) Some(LikeStatement(session, create))
      else Option.when(isLikeOurs)(create)
    }

  private def makesOurs(create: CreateTableLikeCommand): Boolean = {
    val source =
      session.sessionState.catalog.getTempViewOrPermanentTableMetadata(create.sourceTable)
    val default = if (source.tableType == CatalogTableType.VIEW) None else source.provider
    val provider = create.provider.orElse(default)
    // Spark needs no class of the format of the other table, and may not have one.
    create.fileFormat.inputFormat.isEmpty && !DDLUtils.isHiveTable(provider) &&
    provider.exists(format => Try(isOurs(format)).getOrElse(false))
  }

  private def isTemporaryView(name: TableIdentifier): Boolean =
    session.sessionState.catalog.isTempView(name)

  /** Returns a statement that replaces a table, or fills a new one, with another catalog. */
  private def filled(command: LogicalPlan, table: TableSpecBase): LogicalPlan = {
    OtherSessionCatalogs.refuse(command, table.provider, isOurs(table))
    routed(command, isOurs(table))
  }

  /**
   * Returns the statement with another catalog, if it is about a table in Spark's. The constructors
   * of statements differ between Spark's versions.
   */
  private def routed(command: LogicalPlan, ours: => Boolean): LogicalPlan = {
    def tables(catalog: V2SessionCatalog) =
      new SessionTables(catalog, session, command.isInstanceOf[V2CreateTableAsSelectPlan])
    var changed = false
    val arguments = command.productIterator.map {
      case name @ ResolvedIdentifier(catalog: V2SessionCatalog, _) if ours =>
        changed = true
        name.copy(catalog = tables(catalog))
      case table @ ResolvedTable(catalog: V2SessionCatalog, _, _: CatalogedTable, _) =>
        changed = true
        table.copy(catalog = tables(catalog))
      case other => other.asInstanceOf[AnyRef]
    }.toArray
    if (changed) command.makeCopy(arguments) else command
  }

  private def isOurs(table: TableSpecBase): Boolean =
    isOurs(table.provider.getOrElse(conf.defaultDataSourceName))

  private def isOurs(provider: String): Boolean = SessionSetup.isThisSource(provider, conf)

  private def session = SessionSetup.classicSession(SparkSession.active)
}
