package io.github.variantshredded.takeover

import io.github.variantshredded.options.Format
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.BucketSpec
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileIndex,
  HadoopFsRelation,
  LogicalRelation
}
import org.apache.spark.sql.types.StructType

/**
 * Stands for a relation that this source does not read. Its name in EXPLAIN says why; in all else
 * it is the given relation. Rules of Spark and Delta Lake that change the relation keep the name.
 */
private[takeover] final class DeclinedRelation private (
    relation: HadoopFsRelation,
    val reason: String
) extends HadoopFsRelation(
      relation.location,
      relation.partitionSchema,
      relation.dataSchema,
      relation.bucketSpec,
      relation.fileFormat,
      relation.options
    )(relation.sparkSession) {

  override def copy(
      location: FileIndex,
      partitionSchema: StructType,
      dataSchema: StructType,
      bucketSpec: Option[BucketSpec],
      fileFormat: FileFormat,
      options: Map[String, String]
  )(sparkSession: SparkSession): HadoopFsRelation = {
    val changed = relation.copy(
      location,
      partitionSchema,
      dataSchema,
      bucketSpec,
      fileFormat,
      options
    )(sparkSession)
    new DeclinedRelation(changed, reason)
  }

  override def toString: String = DeclinedRelation.name(relation.toString, reason)
}

private[takeover] object DeclinedRelation {

  // Without another option, the relation would be equal to the given one, which Spark would keep.
  // Readers ignore the option.
  private final val Mark = "variantShredded.declined"

  /** Returns a name in EXPLAIN that says why this source does not read what has the name. */
  def name(of: String, reason: String): String = s"$of (not ${Format.Name}: $reason)"

  /**
   * Returns the relation with `reason` as a part of its name in EXPLAIN.
   *
   * @param keepsName
   *   whether the relation itself keeps its name, by which Spark decides whether it pushes down
   *   predicates on nested columns. Then the name of its format has the reason, if it is Spark's
   *   Parquet format.
   */
  def mark(logical: LogicalRelation, reason: String, keepsName: Boolean): LogicalRelation =
    logical.relation match {
      case _: DeclinedRelation                   => logical
      case files: HadoopFsRelation if !keepsName =>
        logical.copy(relation = new DeclinedRelation(marked(files, reason), reason))
      case files: HadoopFsRelation if ParquetRelations.has(files) =>
        val format = new DeclinedParquetFormat(reason)
        val relation = marked(files, reason).copy(fileFormat = format)(files.sparkSession)
        logical.copy(relation = relation)
      case _ => logical
    }

  private def marked(files: HadoopFsRelation, reason: String): HadoopFsRelation =
    files.copy(options = files.options + (Mark -> reason))(files.sparkSession)
}
