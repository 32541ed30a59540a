package io.github.variantshredded.table

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}

/** Reads the partition columns of a table, the only kind of partitioning that is supported. */
private[variantshredded] object PartitionColumns {

  /**
   * Returns the names of the columns in `transforms`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` for buckets, clustering and expressions
   */
  def names(transforms: Seq[Transform]): Seq[String] = transforms.map { transform =>
    val columns = transform.references.toSeq.map(_.fieldNames.toSeq)
    (transform.name, columns) match {
      case ("identity", Seq(Seq(column)))  => column
      case ("bucket" | "sorted_bucket", _) => throw bucketing("Write without bucketBy and sortBy.")
      case ("cluster_by", _)               => throw clustering
      case _                               =>
        throw VariantShreddedErrors.unsupported(
          s"Partitioning by ${transform.describe}",
          "Partition by top-level columns."
        )
    }
  }

  /** Returns whether `names` accepts a transform with this name. */
  def isColumn(transform: Transform): Boolean = transform.name == "identity"

  def bucketing(instead: String): VariantShreddedException =
    VariantShreddedErrors.unsupported("Bucketing", instead)

  def clustering: VariantShreddedException =
    VariantShreddedErrors.unsupported(
      "Clustering",
      "Write without the method clusterBy and without CLUSTER BY: use partitionBy, or sort the rows " +
        "first. The option clusterBy of this source sorts rows by values of Variants."
    )

  def transforms(columns: Seq[String]): Array[Transform] =
    columns.map(column => Expressions.identity(quoted(column)): Transform).toArray

  /**
   * Returns the columns by which rows are partitioned that are added to a directory: those of the
   * directory, in its letters, or the given ones if it has no files.
   *
   * @param existing
   *   the columns of the directory; None if it has no files
   * @param asked
   *   the given columns; if there are none, those of the directory are meant
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `PARTITIONING_MISMATCH` if they are others
   */
  def added(
      path: Path,
      existing: Option[Seq[String]],
      asked: Seq[String],
      resolver: Resolver
  ): Seq[String] = existing match {
    case None                                                                   => asked
    case Some(columns) if asked.isEmpty || columns.corresponds(asked)(resolver) => columns
    case Some(columns)                                                          =>
      throw VariantShreddedErrors.partitioningMismatch(path.toString, asked, columns)
  }

  /** Returns the column as one part of a name, whatever characters it has. */
  def quoted(column: String): String = s"`${column.replace("`", "``")}`"
}
