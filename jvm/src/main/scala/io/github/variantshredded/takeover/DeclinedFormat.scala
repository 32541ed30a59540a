package io.github.variantshredded.takeover

import io.github.variantshredded.options.Format
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

/**
 * Stands for Spark's Parquet format, and says in EXPLAIN why this source does not read the
 * relation. It reads files as Spark's does.
 */
private[takeover] final class DeclinedFormat(reason: String) extends ParquetFileFormat {
  override def toString: String = s"Parquet, not ${Format.Name}: $reason"
}

private[takeover] object DeclinedFormat {

  // Two Parquet formats are equal to Spark, which would keep the old relation. Spark ignores the
  // option.
  private final val Mark = "variantShredded.declined"

  /** Returns the relation with `reason` as a part of its format's name. */
  def mark(relation: LogicalRelation, reason: String): LogicalRelation = relation.relation match {
    case files: HadoopFsRelation if ParquetRelations.has(files) =>
      val marked = files.copy(
        fileFormat = new DeclinedFormat(reason),
        options = files.options + (Mark -> reason)
      )(files.sparkSession)
      relation.copy(relation = marked)
    case _ => relation
  }
}
