package io.github.variantshredded.table.statement

import io.github.variantshredded.table.CatalogedTable
import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand

/**
 * Runs `MSCK REPAIR TABLE` and `ALTER TABLE ... RECOVER PARTITIONS`. Every scan lists the
 * directories, so that only caches can miss a partition; they are refreshed.
 *
 * @param name
 *   name of the table, for errors
 * @param operation
 *   the statement, for errors
 */
private[variantshredded] final case class RepairStatement(
    table: CatalogedTable,
    name: TableIdentifier,
    operation: String
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    if (table.partitionColumns.isEmpty)
      throw new AnalysisException(
        "NOT_A_PARTITIONED_TABLE",
        Map("operation" -> operation, "tableIdentWithDB" -> name.quotedString)
      )
    table.refreshCaches()
    Nil
  }
}
