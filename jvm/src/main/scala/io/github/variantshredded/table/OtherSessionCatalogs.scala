package io.github.variantshredded.table

import scala.util.Try

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.options.Format
import io.github.variantshredded.spark.TableInternals
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{CreateTableAsSelect, LogicalPlan}
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, TableCatalog}
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog

/**
 * Refuses statements on a new table of this source in a session catalog that is not Spark's own,
 * such as that of Delta Lake or Iceberg. Below such a catalog, Spark does not load tables through
 * sources of its second interface. The catalog would drop the table that is to be replaced and
 * create the new one, and the rows of the query could not be written to it.
 */
private[variantshredded] object OtherSessionCatalogs {

  /**
   * Throws an error before the statement does anything, unless it finds nothing to do.
   *
   * @param ours
   *   whether the statement declares a table of this source; fails for a format that only the catalog
   *   knows
   */
  def refuse(statement: LogicalPlan, ours: => Boolean): Unit = statement.productIterator.foreach {
    case ResolvedIdentifier(catalog, table)
        if isOther(catalog) && Try(ours).getOrElse(false) && !isDone(statement, catalog, table) =>
      throw unsupported(statement, catalog)
    case _ => ()
  }

  private def isOther(catalog: CatalogPlugin): Boolean = catalog match {
    case _: V2SessionCatalog | _: SessionTables => false
    case other                                  => TableInternals.isSessionCatalog(other)
  }

  /** Returns whether the statement is `CREATE TABLE IF NOT EXISTS`, and the table exists. */
  private def isDone(statement: LogicalPlan, catalog: CatalogPlugin, table: Identifier): Boolean =
    (statement, catalog) match {
      case (create: CreateTableAsSelect, tables: TableCatalog) =>
        create.ignoreIfExists && tables.tableExists(table)
      case _ => false
    }

  private def unsupported(
      statement: LogicalPlan,
      catalog: CatalogPlugin
  ): VariantShreddedException = {
    val what = statement match {
      case _: CreateTableAsSelect => "Creating a table of this format from a query"
      case _                      => "Replacing a table by one of this format"
    }
    VariantShreddedErrors.unsupported(
      s"$what in the session catalog ${catalog.getClass.getName}",
      "Spark reads and writes tables of this format by name only in its own session catalog. Nothing " +
        s"was changed. Save the rows to a path: df.write.format(\"${Format.Name}\").save(path), or " +
        s"CREATE OR REPLACE TABLE ${Format.SqlName}.`path` AS SELECT ... in SQL."
    )
  }
}
