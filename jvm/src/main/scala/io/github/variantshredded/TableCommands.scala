package io.github.variantshredded

import scala.util.Try

import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.{CatalogedTable, PathTable, SessionTables, TableDirectory}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.connector.catalog.{Table, TableCatalog}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, V2SessionCatalog}

/**
 * An optimizer rule by which [[SessionTables]] runs the statements that create, replace or alter a
 * table of this source in Spark's session catalog.
 *
 * Spark's catalog would drop a table before it runs the query that replaces it, and would accept
 * any change of columns. A rule is the only hook for this that a source can set at run time.
 */
private[variantshredded] object TableCommands extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsPattern(COMMAND)) {
      case create: CreateTable           => routed(create, isOurs(create.tableSpec))
      case create: CreateTableAsSelect   => routed(create, isOurs(create.tableSpec))
      case replace: ReplaceTable         => routed(replace, isOurs(replace.tableSpec))
      case replace: ReplaceTableAsSelect => routed(replace, isOurs(replace.tableSpec))
      case alter: AlterTableCommand      => routed(alter, ours = true)
      case delete: DeleteFromTable       => emptied(delete)
      case write: V2WriteCommand         =>
        refuseEmptyPartition(write)
        write
      case other =>
        TableInternals.overwrittenTable(other).ifPresent(refuseToEmpty)
        other
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
    SessionSetup.isThisSource(table.provider.getOrElse(conf.defaultDataSourceName), conf)

  private def isOurs(table: Table): Boolean = table match {
    case _: CatalogedTable | _: PathTable => true
    case _                                => false
  }

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
   * Returns the `DELETE` on the table itself. Spark replaces a cached table by its rows, also in a
   * `DELETE`, which then fails with an internal error. `TRUNCATE` does the same and keeps the
   * table.
   */
  private def emptied(delete: DeleteFromTable): LogicalPlan = delete.table match {
    case cached: InMemoryRelation =>
      cached.cacheBuilder.logicalPlan
        .collectFirst {
          case relation: DataSourceV2Relation if isOurs(relation.table) =>
            if (delete.condition != TrueLiteral) {
              throw TableInternals.unsupportedDelete(relation.table)
            }
            (relation.catalog, relation.identifier) match {
              case (Some(catalog: TableCatalog), Some(identifier)) =>
                Some(TruncateTable(ResolvedTable.create(catalog, identifier, relation.table)))
              case _ => None
            }
        }
        .flatten
        .getOrElse(delete)
    case _ => delete
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
