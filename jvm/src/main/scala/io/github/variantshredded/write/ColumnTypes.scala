package io.github.variantshredded.write

import io.github.variantshredded.options.Format
import io.github.variantshredded.spark.SparkSchemaChecks
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types._

/** The Spark types that a column may have: those that this Spark's Parquet source takes. */
private[variantshredded] object ColumnTypes {
  private val parquet = new ParquetFileFormat

  def supported(dataType: DataType): Boolean = parquet.supportDataType(dataType)

  /** Raises Spark's `UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE` if the column cannot be stored. */
  def check(field: StructField): Unit =
    if (!supported(field.dataType))
      throw SparkSchemaChecks.unsupportedType(Format.Name, field)
}
