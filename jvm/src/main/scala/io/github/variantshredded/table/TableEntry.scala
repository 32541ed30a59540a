package io.github.variantshredded.table

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, CatalogUtils}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.TableCatalog

/**
 * Holds what Spark's session catalog knows about a table. Spark passes only the columns, the
 * partition columns and the properties of a table to its source; statements look up the rest.
 *
 * @param name
 *   name of the table for errors
 * @param isManaged
 *   whether Spark removes the files when the table is dropped
 * @param properties
 *   further properties that `DESCRIBE` and `SHOW CREATE TABLE` print
 */
private[variantshredded] final case class TableEntry(
    name: String,
    isManaged: Boolean,
    properties: Map[String, String]
)

private[variantshredded] object TableEntry {

  /** Looks up what the session catalog knows about a table. */
  def of(session: classic.SparkSession, table: TableIdentifier): TableEntry =
    apply(session.sessionState.catalog.getTableMetadata(table))

  /**
   * Returns the location of an external table for its properties. Where nothing looks up the entry, such
   * as for `spark.catalog`, [[CatalogedTable]] takes tables with this property for external ones.
   */
  def externalLocation(table: CatalogTable): Option[String] =
    Option.when(table.tableType == CatalogTableType.EXTERNAL) {
      CatalogUtils.URIToString(table.location)
    }

  private def apply(table: CatalogTable): TableEntry = {
    val isManaged = table.tableType == CatalogTableType.MANAGED
    val name = (table.identifier.database.toSeq :+ table.identifier.table)
      .map(PartitionColumns.quoted)
      .mkString(".")
    val shown = Map(
      TableCatalog.PROP_OWNER -> Some(table.owner).filter(_.nonEmpty),
      TableCatalog.PROP_COMMENT -> table.comment,
      TableCatalog.PROP_EXTERNAL -> (if (isManaged) None else Some("true"))
    )
    TableEntry(name, isManaged, shown.collect { case (key, Some(value)) => key -> value })
  }
}
