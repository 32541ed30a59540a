package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.StructType

/** Changes entries of Spark's session catalog, whose fields differ between its versions. */
private[variantshredded] object CatalogTables {

  /** Returns the entry with another schema. */
  def withSchema(table: CatalogTable, schema: StructType): CatalogTable = {
    val fields = table.productElementNames
      .zip(table.productIterator)
      .map {
        case ("schema", _) => schema
        case (_, value)    => value.asInstanceOf[AnyRef]
      }
      .toArray
    classOf[CatalogTable].getConstructors
      .find(_.getParameterCount == fields.length)
      .map(_.newInstance(fields: _*))
      .collect { case changed: CatalogTable => changed }
      .getOrElse(throw new NoSuchMethodException("The constructor of CatalogTable"))
  }
}
