package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.StructType

/** Changes entries of Spark's session catalog, whose fields differ between its versions. */
private[variantshredded] object CatalogTables {

  /** Returns the entry with another schema. */
  def withSchema(table: CatalogTable, schema: StructType): CatalogTable =
    CaseClasses.copy(table, "schema" -> schema)

  /** Returns the entry of a table whose columns and partition columns the files tell. */
  def withoutColumns(table: CatalogTable): CatalogTable =
    CaseClasses.copy(table, "schema" -> new StructType, "partitionColumnNames" -> Nil)

  /** Returns the entry with other properties. */
  def withProperties(table: CatalogTable, properties: Map[String, String]): CatalogTable =
    CaseClasses.copy(table, "properties" -> properties)
}
