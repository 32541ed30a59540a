package io.github.variantshredded.read.scan

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  BoundReference,
  Expression,
  Predicate
}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{PartitionDirectory, PartitioningAwareFileIndex}
import org.apache.spark.sql.types.StructType

/**
 * Lists the directories that are left of those of another index, after filters on the values of
 * partition columns.
 */
private[scan] final class PrunedFiles(
    session: classic.SparkSession,
    index: PartitioningAwareFileIndex,
    directories: Seq[PartitionDirectory]
) extends RelationFiles(session, index) {

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = directories

  override def equals(other: Any): Boolean = other match {
    case that: AnyRef => this eq that
    case _            => false
  }

  override def hashCode(): Int = System.identityHashCode(this)
}

private[variantshredded] object PrunedFiles {

  /**
   * Returns the directories whose values pass all filters.
   *
   * @param columns
   *   the partition columns, in the order of the values
   * @param filters
   *   expressions on these columns
   */
  def select(
      directories: Seq[PartitionDirectory],
      columns: StructType,
      filters: Seq[Expression]
  ): Seq[PartitionDirectory] = filters.reduceOption(And).fold(directories) { filter =>
    val predicate = Predicate.createInterpreted(filter.transform { case a: AttributeReference =>
      val ordinal = columns.fieldIndex(a.name)
      BoundReference(ordinal, columns(ordinal).dataType, nullable = true)
    })
    directories.filter(directory => predicate.eval(directory.values))
  }
}
