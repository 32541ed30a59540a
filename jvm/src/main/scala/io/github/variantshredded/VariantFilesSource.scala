package io.github.variantshredded

import java.util.{Map => JMap}

import io.github.variantshredded.read.inspect.FilesTable
import io.github.variantshredded.read.options.{OptionNames, ReadOptions}
import io.github.variantshredded.table.{PathOptions, PathTable}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Provides the format `variant-shredded-files`, which shows what Parquet files with Variants
 * contain: one row for each leaf column of each row group. Paths and options are those of
 * `variant-shredded`.
 */
final class VariantFilesSource extends TableProvider with DataSourceRegister {

  override def shortName(): String = VariantFilesSource.ShortName

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = table(options).schema()

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    val options = new CaseInsensitiveStringMap(properties)
    val listed = table(options)
    // Lists the files now, so that a path that does not exist is an error.
    listed.list(everyFile = ReadOptions.EveryFile.of(options))
    listed
  }

  // Spark's errors print the provider.
  override def toString: String = shortName()

  private def table(options: CaseInsensitiveStringMap): FilesTable = {
    OptionNames.check(options, ReadOptions.inspecting)
    ReadOptions.check(ReadOptions.reading ++ ReadOptions.inspecting, options)
    val files = PathTable(
      SessionSetup.classicSession(SparkSession.active),
      PathOptions.others(options),
      PathOptions.requiredPaths(options),
      userSchema = None
    )
    new FilesTable(files)
  }
}

object VariantFilesSource {

  /** The name of the format. */
  val ShortName = "variant-shredded-files"
}
