package io.github.variantshredded.takeover

import io.github.variantshredded.read.scan.{PrunedByColumns, RelationFiles}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.PartitionDirectory

/** Lists the files of an Iceberg table in the form that scans of Data Source V2 need. */
private[takeover] final class PrunedIcebergFiles(session: classic.SparkSession, index: IcebergFiles)
    extends RelationFiles(session, index)
    with PrunedByColumns {

  override def isEqualByFiles: Boolean = true

  override def prunedBy: Set[String] = index.partitionedBy

  override def pruned(filters: Seq[Expression]): Seq[PartitionDirectory] = index.pruned(filters)
}
