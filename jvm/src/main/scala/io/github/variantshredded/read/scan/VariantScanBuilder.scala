package io.github.variantshredded.read.scan

import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.read.options.VariantShreddedOptions
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.read.SupportsPushDownLimit
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex
import org.apache.spark.sql.execution.datasources.v2.FileScanBuilder
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Takes what a query asks of a table: columns and conditions. Those on data stay above the scan too,
 * which only leaves out rows that certainly do not meet them.
 *
 * @param dataSchema
 *   the columns that are read from the files: none of the partition columns
 */
final class VariantScanBuilder private (
    session: classic.SparkSession,
    fileIndex: PartitioningAwareFileIndex,
    dataSchema: StructType,
    options: CaseInsensitiveStringMap
) extends FileScanBuilder(session, fileIndex, dataSchema)
    with SupportsPushDownLimit {
  private var limit = Option.empty[Int]

  // Spark prunes inside structs, arrays and maps; a Variant is a leaf to it.
  override protected val supportsNestedSchemaPruning: Boolean = true

  override def build(): VariantScan = VariantScan(
    session,
    fileIndex,
    dataSchema,
    readDataSchema(),
    readPartitionSchema(),
    partitionFilters,
    dataFilters,
    options,
    conjuncts,
    limit
  )

  /** Spark asks where no condition is above; it still counts the rows of all tasks together. */
  override def pushLimit(rows: Int): Boolean = {
    limit = Some(rows)
    true
  }

  private def conjuncts: Conjuncts = {
    val conf = session.sessionState.conf
    if (VariantShreddedOptions.setting(VariantShreddedOptions.PushDownPredicates, conf)) {
      Conjuncts.of(dataFilters, dataSchema)
    } else {
      Conjuncts.None
    }
  }
}

object VariantScanBuilder {

  /**
   * @param fileSchema
   *   the columns of the files or of the whole table. A partition column among them is left out: the
   *   directory gives its value, whatever the files hold under that name
   */
  def apply(
      session: classic.SparkSession,
      fileIndex: PartitioningAwareFileIndex,
      fileSchema: StructType,
      options: CaseInsensitiveStringMap
  ): VariantScanBuilder = {
    val isSame = session.sessionState.conf.resolver
    def isPartition(field: StructField) =
      fileIndex.partitionSchema.exists(partition => isSame(partition.name, field.name))
    val dataSchema = StructType(fileSchema.filterNot(isPartition))
    new VariantScanBuilder(session, fileIndex, dataSchema, options)
  }
}
