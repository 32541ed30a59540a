package io.github.variantshredded.takeover

import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

/**
 * Stands for the format of a relation that this source does not read. Its name in EXPLAIN says why; in
 * all else it is Spark's Parquet format, to which it is equal.
 */
private[takeover] final class DeclinedParquetFormat(reason: String) extends ParquetFileFormat {

  override def hashCode(): Int = classOf[ParquetFileFormat].hashCode

  override def toString: String = DeclinedRelation.name(super.toString, reason)
}
