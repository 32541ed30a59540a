package io.github.variantshredded.table

import scala.util.Try

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.options.Format
import io.github.variantshredded.spark.TableInternals
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{CreateTableAsSelect, LogicalPlan}
import org.apache.spark.sql.classic
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
   * @param provider
   *   the format that the statement names
   * @param ours
   *   whether the statement declares a table of this source; fails for a format that only the catalog
   *   knows
   */
  def refuse(statement: LogicalPlan, provider: Option[String], ours: => Boolean): Unit =
    statement.productIterator.foreach {
      case ResolvedIdentifier(catalog, table)
          if isOther(catalog) && (provider.isDefined || !hasOwnDefault(catalog)) &&
            Try(ours).getOrElse(false) && !isDone(statement, catalog, table) =>
        throw unsupported(whatOf(statement), catalog)
      case _ => ()
    }

  /**
   * Throws an error if `saveAsTable` in the mode `overwrite` would put a table of this source in the
   * place of one of another format, which the session can read.
   */
  def refuseReplacement(session: classic.SparkSession): Unit = {
    val catalog = TableInternals.catalogOf(session, "spark_catalog")
    if (isOther(catalog)) throw unsupported(Replacing, catalog)
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

  /**
   * Returns whether a table without a format gets that of the catalog. Delta Lake's catalog takes
   * the default of the session.
   */
  private def hasOwnDefault(catalog: CatalogPlugin): Boolean =
    Iterator
      .iterate[Class[_]](catalog.getClass)(_.getSuperclass)
      .takeWhile(_ != null)
      .exists(_.getName == IcebergCatalog)

  private val IcebergCatalog = "org.apache.iceberg.spark.SparkSessionCatalog"

  private val Replacing = "Replacing a table by one of this format"

  private def whatOf(statement: LogicalPlan): String = statement match {
    case _: CreateTableAsSelect => "Creating a table of this format from a query"
    case _                      => Replacing
  }

  private def unsupported(what: String, catalog: CatalogPlugin): VariantShreddedException =
    VariantShreddedErrors.unsupported(
      s"$what in the session catalog ${catalog.getClass.getName}",
      "Spark reads and writes tables of this format by name only in its own session catalog. Nothing " +
        s"was changed. Save the rows to a path: df.write.format(\"${Format.Name}\").save(path), or " +
        s"CREATE OR REPLACE TABLE ${Format.SqlName}.`path` AS SELECT ... in SQL."
    )
}
