package io.github.variantshredded.takeover

import io.github.variantshredded.spark.PlanCopies
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable
import org.apache.spark.sql.types.StructType

/**
 * Stands for a table of Data Source V2 for Parquet that this source does not read. Its
 * name in EXPLAIN says why; in all else it is the given table, with the files that the table has
 * listed.
 */
private[takeover] final class DeclinedParquetTable private (table: ParquetTable, reason: String)
    extends ParquetTable(
      DeclinedRelation.name(table.name, reason),
      table.sparkSession,
      table.options,
      table.paths,
      table.userSpecifiedSchema,
      table.fallbackFileFormat
    ) {

  override lazy val fileIndex: PartitioningAwareFileIndex = table.fileIndex

  override lazy val dataSchema: StructType = table.dataSchema

  override lazy val schema: StructType = table.schema
}

private[takeover] object DeclinedParquetTable {

  /** Returns the relation with `reason` as a part of the name of its table. */
  def mark(relation: DataSourceV2Relation, reason: String): DataSourceV2Relation =
    relation.table match {
      case table: ParquetTable if ParquetRelations.has(table) =>
        PlanCopies.withFields(relation, "table" -> new DeclinedParquetTable(table, reason))
      case _ => relation
    }
}
