package io.github.variantshredded.read.columns

import java.util.{Map => JMap, Set => JSet}

import io.github.variantshredded.shredding.layout.VariantGroup
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.types.DataType

/** Describes how one requested column is read from one file. */
private[read] sealed trait ResolvedColumn

private[read] object ResolvedColumn {

  /**
   * Describes a column without Variants, which Spark's reader decodes.
   *
   * @param batchType
   *   the type of the vector
   * @param default
   *   the value in all rows if the file does not have the column; null unless the values are those
   *   that Spark's reader gives
   */
  final case class Ordinary(column: ParquetColumn, batchType: DataType, default: Any)
      extends ResolvedColumn

  /**
   * Describes a column that the file does not have, with a default value that is not null.
   *
   * @param dataType
   *   the requested type
   * @param default
   *   the value in all rows
   */
  final case class MissingColumn(dataType: DataType, default: Any) extends ResolvedColumn

  /** Describes a top-level Variant. */
  final case class WholeVariant(group: VariantGroup) extends ResolvedColumn

  /** Describes a top-level Variant that the file does not have. */
  final case class MissingVariant(default: Any) extends ResolvedColumn

  /**
   * Describes a column with Variants in structs, arrays or maps.
   *
   * @param dataType
   *   the requested type
   * @param column
   *   the column with the Variant groups in it
   * @param batchType
   *   the type of the vector that Spark assembles, in which a Variant has the type of its group
   * @param groups
   *   the Variant groups, by their parts of `column` (compared by identity); cannot be changed
   * @param variantLeaves
   *   the leaf columns of the Variant groups (compared by identity); cannot be changed
   */
  final case class NestedVariants(
      dataType: DataType,
      column: ParquetColumn,
      batchType: DataType,
      groups: JMap[ParquetColumn, VariantGroup],
      variantLeaves: JSet[ParquetColumn]
  ) extends ResolvedColumn
}
