package io.github.variantshredded.table.statement

import io.github.variantshredded.table.CatalogedTable
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.ResolvedPartitionSpec
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand

/**
 * Runs `SHOW PARTITIONS`. Prints the names of the directories, as for Spark's file sources; Spark's
 * own command for tables of this kind would print `null` for the partition of nulls.
 */
private[variantshredded] final case class ShowPartitionsStatement(
    table: CatalogedTable,
    spec: Option[ResolvedPartitionSpec],
    override val output: Seq[Attribute]
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    val partitions = table.partitions
    spec
      .fold(partitions.all)(spec => partitions.find(spec.names, spec.ident))
      .map(_.name)
      .distinct
      .map(Row(_))
  }
}
