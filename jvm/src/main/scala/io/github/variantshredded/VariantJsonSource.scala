package io.github.variantshredded

import java.util.{Map => JMap}

import io.github.variantshredded.json.JsonTable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Provides the format `variant-shredded-json`, which `load_json` reads: JSON files as Variants.
 *
 * Spark's own JSON source needs to be told the form of the files, and does not say on which line a
 * file is wrong.
 */
final class VariantJsonSource extends TableProvider with DataSourceRegister {

  // Spark asks one instance for the schema and the table, and the files should be listed only once.
  private var inferred: Option[JsonTable] = None

  override def shortName(): String = VariantJsonSource.ShortName

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = {
    val table = newTable(options)
    val schema = table.schema
    inferred = Some(table)
    schema
  }

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    val options = new CaseInsensitiveStringMap(properties)
    inferred.filter(_.isOf(options)).getOrElse(newTable(options))
  }

  // Spark's errors print the provider.
  override def toString: String = shortName()

  private def newTable(options: CaseInsensitiveStringMap): JsonTable =
    JsonTable.reading(SessionSetup.classicSession(SparkSession.active), options)
}

object VariantJsonSource {

  /** The name of the format. */
  val ShortName = "variant-shredded-json"
}
