package io.github.variantshredded.table.statement

import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.PartitionColumns
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  OptionList,
  ReplaceTableAsSelect,
  UnresolvedTableSpec
}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog

/**
 * Runs `saveAsTable` in the mode `overwrite` if a table of another format has the name: as
 * `CREATE OR REPLACE TABLE ... AS SELECT`. Spark would drop that table first, and would then save
 * the rows without the partition columns.
 *
 * @param saved
 *   the new table as it is declared, and the query that gives its rows
 */
private[variantshredded] final case class ReplaceTableStatement(
    session: classic.SparkSession,
    saved: TableInternals.SavedTable
) extends LeafRunnableCommand {

  override def innerChildren: Seq[LogicalPlan] = Seq(saved.query)

  override def run(active: SparkSession): Seq[Row] = {
    val table = saved.table
    if (table.bucketSpec.isDefined)
      throw PartitionColumns.bucketing("Write without bucketBy and sortBy.")
    if (table.clusterBySpec.isDefined) throw PartitionColumns.clustering
    val tables = session.sessionState.catalog
    val database = tables.qualifyIdentifier(table.identifier).database
    val name = Identifier.of(database.toArray, table.identifier.table)
    val options = CaseInsensitiveMap(table.storage.properties)
    val replacement = ReplaceTableAsSelect(
      ResolvedIdentifier(new V2SessionCatalog(tables), name),
      table.partitionColumnNames.map(Expressions.identity(_): Transform),
      saved.query,
      UnresolvedTableSpec(
        properties = Map.empty,
        provider = table.provider,
        optionExpression = OptionList(Nil),
        location = table.storage.locationUri.map(CatalogUtils.URIToString),
        comment = options.get(TableCatalog.PROP_COMMENT),
        collation = options.get(TableCatalog.PROP_COLLATION),
        serde = None,
        external = false,
        constraints = Nil
      ),
      writeOptions = table.storage.properties,
      orCreate = true
    )
    session.sessionState.executePlan(replacement).assertCommandExecuted()
    Nil
  }
}
