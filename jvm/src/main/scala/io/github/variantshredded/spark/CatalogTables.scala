package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.StructType

/** Changes entries of Spark's session catalog, whose fields differ between its versions. */
private[variantshredded] object CatalogTables {

  /** Returns the entry with another schema. */
  def withSchema(table: CatalogTable, schema: StructType): CatalogTable =
    withField(table, "schema", schema)

  /** Returns the entry of a table whose columns and partition columns the files tell. */
  def withoutColumns(table: CatalogTable): CatalogTable =
    withField(withSchema(table, new StructType), "partitionColumnNames", Nil)

  /** Returns the entry with other properties. */
  def withProperties(table: CatalogTable, properties: Map[String, String]): CatalogTable =
    withField(table, "properties", properties)

  private def withField(entry: CatalogTable, name: String, changed: AnyRef): CatalogTable = {
    val fields = entry.productElementNames
      .zip(entry.productIterator)
      .map {
        case (`name`, _) => changed
        case (_, value)  => value.asInstanceOf[AnyRef]
      }
      .toArray
    classOf[CatalogTable].getConstructors
      .find(_.getParameterCount == fields.length)
      .map(_.newInstance(fields: _*))
      .collect { case table: CatalogTable => table }
      .getOrElse(throw new NoSuchMethodException("The constructor of CatalogTable"))
  }
}
