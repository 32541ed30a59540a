package io.github.variantshredded

import java.util.{Map => JMap}

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.read.inspect.QueryTable
import io.github.variantshredded.read.scan.VariantScan
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.{CommandExecutionMode, QueryExecution}
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation
}
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Provides the format `variant-shredded-query`, which `advise` reads: it shows which paths of
 * Variants a query uses, and how many bytes it reads.
 *
 * The query is planned and not run; only its scans are run, if bytes are requested. Options:
 * `query` is the SQL text, `table` is the name of the table or view whose scans are counted.
 */
final class VariantQuerySource extends TableProvider with DataSourceRegister {

  override def shortName(): String = VariantQuerySource.ShortName

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = QueryTable.Schema

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    val options = new CaseInsensitiveStringMap(properties)
    val session = SessionSetup.classicSession(SparkSession.active)
    def needed(name: String, expected: String): String = Option(options.get(name))
      .getOrElse(throw VariantShreddedErrors.invalidOption(name, "", expected))
    val table = session.table(needed("table", "the name of a table or view"))
    val ofTable = VariantQuerySource.optimized(session, table.queryExecution)
    val roots = VariantQuerySource.scans(ofTable).flatMap(rootsOf).toSet
    val query = session.sessionState.sqlParser.parsePlan(needed("query", "a query"))
    val scans = VariantQuerySource.planned(session, query).flatMap(VariantQuerySource.scans)
    new QueryTable(scans.filter(rootsOf(_).forall(roots)))
  }

  private def rootsOf(scan: VariantScan) = scan.fileIndex.rootPaths

  // Spark's errors print the provider.
  override def toString: String = shortName()
}

object VariantQuerySource {

  /** The name of the format. */
  val ShortName = "variant-shredded-query"

  private def planned(session: classic.SparkSession, plan: LogicalPlan): Seq[LogicalPlan] = {
    val execution = session.sessionState.executePlan(plan, CommandExecutionMode.SKIP)
    execution.analyzed match {
      // For INSERT and CREATE TABLE AS, the query in it.
      case command: Command =>
        (command.children ++ command.innerChildren)
          .collect { case inner: LogicalPlan if inner.exists(isTable) => inner }
          .flatMap(planned(session, _))
      case _ => Seq(optimized(session, execution))
    }
  }

  /** Optimizes a query as if the session had cached no data, which would take the place of scans. */
  private def optimized(session: classic.SparkSession, execution: QueryExecution): LogicalPlan =
    session.sessionState.optimizer.execute(execution.normalized.clone())

  private def isTable(plan: LogicalPlan): Boolean = plan.isInstanceOf[DataSourceV2Relation]

  private def scans(plan: LogicalPlan): Seq[VariantScan] = plan
    .collectWithSubqueries { case relation: DataSourceV2ScanRelation => relation.scan }
    .collect { case scan: VariantScan => scan }
}
