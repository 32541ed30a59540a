package io.github.variantshredded

import scala.jdk.OptionConverters._
import scala.util.Try

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.{
  AnalyzeStatement,
  CatalogedTable,
  DeleteStatement,
  InsertDirectoryStatement,
  LikeStatement,
  NotNullColumns,
  PathTable,
  RepairStatement,
  SessionTables,
  ShowPartitionsStatement,
  TableDirectory,
  TableEntry
}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  ResolvedIdentifier,
  ResolvedPartitionSpec,
  ResolvedTable
}
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.command.{
  CreateTableLikeCommand,
  InsertIntoDataSourceDirCommand
}
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation,
  V2SessionCatalog
}

/**
 * An optimizer rule for statements about tables of this source.
 *
 * [[SessionTables]] runs those that create, replace or alter a table in Spark's session catalog:
 * Spark's catalog would drop a table before it runs the query that replaces it, and would accept any
 * change of columns. Statements that Spark does not run on tables of its second interface, such as
 * `MSCK REPAIR TABLE`, are replaced by this source's own. A rule is the only hook for this that a
 * source can set at run time.
 */
private[variantshredded] object TableCommands extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsPattern(COMMAND)) {
      case create: CreateTable           => routed(create, isOurs(create.tableSpec))
      case create: CreateTableAsSelect   => routed(create, isOurs(create.tableSpec))
      case replace: ReplaceTable         => routed(replace, isOurs(replace.tableSpec))
      case replace: ReplaceTableAsSelect => routed(replace, isOurs(replace.tableSpec))
      case alter: AlterTableCommand      => routed(alter, ours = true)
      case delete: DeleteFromTable       => deleted(delete)
      case write: V2WriteCommand         =>
        refuseEmptyPartition(write)
        NotNullColumns.asserted(write)
      case insert: InsertIntoDataSourceDirCommand if isOurs(insert.provider) =>
        InsertDirectoryStatement(session, insert.storage, insert.query, insert.overwrite)
      case OfTable(statement) => statement
      case other              =>
        TableInternals.overwrittenTable(other).ifPresent(refuseToEmpty)
        TableInternals.tableLike(other).toScala.filter(makesOurs).fold(other) {
          LikeStatement(session, _)
        }
    }

  /** A statement on a table of this source, with what the catalog knows about the table. */
  private object OfTable {
    def unapply(statement: LogicalPlan): Option[LogicalPlan] = statement match {
      case _: V2PartitionCommand | _: DescribeRelation | _: ShowCreateTable | _: RepairTable |
          _: RecoverPartitions | _: AnalyzeTable | _: AnalyzeColumn =>
        statement.children.collectFirst {
          case resolved @ ResolvedTable(_: V2SessionCatalog, name, table: CatalogedTable, _)
              if table.entry.isEmpty =>
            val identifier = TableInternals.identifier(name)
            val known = table.copy(entry = Some(entryOf(identifier)))
            replaced(statement, known, identifier)
              .getOrElse(statement.withNewChildren(Seq(resolved.copy(table = known))))
        }
      case _ => None
    }
  }

  private def entryOf(table: TableIdentifier): TableEntry =
    TableEntry(session.sessionState.catalog.getTableMetadata(table))

  /** Returns the statements that Spark does not run on tables with an interface of version 2. */
  private def replaced(
      statement: LogicalPlan,
      table: CatalogedTable,
      name: TableIdentifier
  ): Option[LogicalPlan] = statement match {
    case show: ShowPartitions =>
      val spec = show.pattern.collect { case resolved: ResolvedPartitionSpec => resolved }
      Some(ShowPartitionsStatement(table, spec, show.output))
    case _: RepairTable       => Some(RepairStatement(table, "MSCK REPAIR TABLE"))
    case _: RecoverPartitions =>
      Some(RepairStatement(table, "ALTER TABLE RECOVER PARTITIONS"))
    case analyze: AnalyzeTable if analyze.partitionSpec.isEmpty =>
      Some(AnalyzeStatement(table, name, analyze.noScan))
    case _: AnalyzeTable | _: AnalyzeColumn =>
      throw VariantShreddedErrors.unsupported(
        "ANALYZE TABLE of a partition or FOR COLUMNS",
        "The planner takes bytes and rows of partitions from the files; ANALYZE TABLE ... COMPUTE " +
          "STATISTICS stores those of the table."
      )
    case _: DropPartitions if !table.entry.exists(_.isManaged) =>
      throw VariantShreddedErrors.unsupported(
        s"DROP PARTITION of the external table ${table.name()}",
        "It would have to delete files, and Spark does not delete those of external tables. " +
          s"Delete the rows: DELETE FROM ${table.name()} WHERE ..."
      )
    case _ => None
  }

  private def makesOurs(create: CreateTableLikeCommand): Boolean = {
    val source =
      session.sessionState.catalog.getTempViewOrPermanentTableMetadata(create.sourceTable)
    val default = if (source.tableType == CatalogTableType.VIEW) None else source.provider
    create.fileFormat.inputFormat.isEmpty && create.provider.orElse(default).exists(isOurs)
  }

  /**
   * Returns the statement with another catalog, if it is about a table in Spark's. The constructors
   * of statements differ between Spark's versions.
   */
  private def routed(command: LogicalPlan, ours: => Boolean): LogicalPlan = {
    var changed = false
    val arguments = command.productIterator.map {
      case name @ ResolvedIdentifier(catalog: V2SessionCatalog, _) if ours =>
        changed = true
        name.copy(catalog = new SessionTables(catalog, session))
      case table @ ResolvedTable(catalog: V2SessionCatalog, _, _: CatalogedTable, _) =>
        changed = true
        table.copy(catalog = new SessionTables(catalog, session))
      case other => other.asInstanceOf[AnyRef]
    }.toArray
    if (changed) command.makeCopy(arguments) else command
  }

  private def isOurs(table: TableSpecBase): Boolean =
    isOurs(table.provider.getOrElse(conf.defaultDataSourceName))

  private def isOurs(provider: String): Boolean = SessionSetup.isThisSource(provider, conf)

  /**
   * Refuses `PARTITION (p = '')` in an `INSERT`, whose rows would get null in place of the value.
   * Spark refuses it for its own file sources. The plan is the same as for a query that returns an
   * empty value, for which both write null, so the text of the statement is checked.
   */
  private def refuseEmptyPartition(write: V2WriteCommand): Unit = write.table match {
    case relation: DataSourceV2Relation if relation.table.isInstanceOf[CatalogedTable] =>
      for {
        text <- write.origin.sqlText
        if Empty.exists(text.contains)
        statement <- Try(session.sessionState.sqlParser.parsePlan(text))
      } statement.foreach {
        case insert: InsertIntoStatement if insert.origin.startIndex == write.origin.startIndex =>
          insert.partitionSpec.collectFirst { case (column, Some("")) =>
            throw TableInternals.invalidPartition(
              s"The spec ([$column=]) contains an empty partition column value"
            )
          }
        case _ => ()
      }
    case _ => ()
  }

  /**
   * Returns the `DELETE` of a table of this source. Spark itself would replace a cached table by its
   * rows, also in a `DELETE`, and would pass on few kinds of conditions.
   */
  private def deleted(delete: DeleteFromTable): LogicalPlan = {
    val target = delete.table match {
      case cached: InMemoryRelation => cached.cacheBuilder.logicalPlan
      case plan                     => plan
    }
    val relation = target.collectFirst {
      case relation: DataSourceV2Relation => relation
      case scan: DataSourceV2ScanRelation => scan.relation
    }
    relation.map(r => (r.table, r.catalog, r.identifier)) match {
      case Some((table: CatalogedTable, Some(_: V2SessionCatalog), Some(name))) =>
        val entry = entryOf(TableInternals.identifier(name))
        DeleteStatement.of(table.copy(entry = Some(entry)), delete.condition)
      case Some((table: CatalogedTable, _, _)) => DeleteStatement.of(table, delete.condition)
      case Some((table: PathTable, _, _))      => throw TableInternals.unsupportedDelete(table)
      case _                                   => delete
    }
  }

  // The two forms of an empty literal.
  private val Empty = Seq("''", "\"\"")

  /**
   * Refuses a `saveAsTable` that would drop the table that its query reads. With a format of
   * Spark's first interface, such as `parquet`, it drops the table first; Spark refuses this only
   * if the table has such a format too.
   */
  private def refuseToEmpty(saved: TableInternals.SavedTable): Unit = {
    val tables = session.sessionState.catalog
    if (tables.tableExists(saved.table)) {
      val metadata = tables.getTableMetadata(saved.table)
      val reads = metadata.storage.locationUri.exists { location =>
        val directory = new TableDirectory(session.sessionState.newHadoopConf(), location)
        readPaths(saved.query).exists(directory.overlaps)
      }
      if (reads) throw TableInternals.overwrittenWhileRead(metadata.identifier)
    }
  }

  /** Returns the paths of the files of this source that the query reads. */
  private def readPaths(query: LogicalPlan): Seq[String] = {
    val here = query.collect { case relation: DataSourceV2Relation =>
      relation.table match {
        case table: CatalogedTable => table.location.toSeq
        case table: PathTable      => table.fileIndex.rootPaths.map(_.toString)
        case _                     => Nil
      }
    }.flatten
    val inner = query.collect { case operator =>
      operator.expressions.flatMap(_.collect { case subquery: SubqueryExpression => subquery.plan })
    }.flatten
    here ++ inner.flatMap(readPaths)
  }

  private def session = SessionSetup.classicSession(SparkSession.active)
}
