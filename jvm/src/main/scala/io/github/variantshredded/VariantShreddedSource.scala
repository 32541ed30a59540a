package io.github.variantshredded

import java.util

import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The entrance: what `format("variant-shredded")` names. */
class VariantShreddedSource extends TableProvider with DataSourceRegister {

  override def shortName(): String = "variant-shredded"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = notYet()

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = notYet()

  private def notYet(): Nothing =
    throw new UnsupportedOperationException("variant-shredded cannot read or write yet")
}
