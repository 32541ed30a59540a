package io.github.variantshredded.write

import io.github.variantshredded.options.Format
import io.github.variantshredded.spark.SparkSchemaChecks
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types._

/** Checks the Spark types of columns: those that Spark's Parquet source accepts are supported. */
private[variantshredded] object ColumnTypes {
  private val parquet = new ParquetFileFormat

  def supported(dataType: DataType): Boolean = parquet.supportDataType(dataType)

  /** Throws Spark's `UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE` if the column cannot be stored. */
  def check(field: StructField): Unit =
    if (!supported(field.dataType))
      throw SparkSchemaChecks.unsupportedType(Format.Name, field)
}
