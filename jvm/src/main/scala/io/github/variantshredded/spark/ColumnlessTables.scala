package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, SessionCatalog}
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog

/**
 * Wraps Spark's session catalog for new tables whose columns come from the files. A table that is
 * created with it is stored without columns.
 *
 * Spark's catalog stores the columns of all tables of its second interface. They cannot be removed
 * afterwards in one step: Hive's metastore keeps the partition columns of a table that is altered.
 * So they are removed from the entry before it is stored.
 */
private[variantshredded] object ColumnlessTables {

  def in(tables: SessionCatalog): V2SessionCatalog = new V2SessionCatalog(new Creating(tables))

  private final class Creating(tables: SessionCatalog)
      extends SessionCatalog(tables.externalCatalog) {

    override def createTable(
        entry: CatalogTable,
        ignoreIfExists: Boolean,
        validateLocation: Boolean
    ): Unit =
      tables.createTable(CatalogTables.withoutColumns(entry), ignoreIfExists, validateLocation)
  }
}
