package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY
import org.apache.spark.sql.types._

/** Finds the columns whose default values Spark does not use in every query. */
private[variantshredded] object StructDefaults {

  /**
   * Returns true if a column has a default value, and is or contains a struct. Whether Spark uses
   * the default in files without the column depends on the fields that the whole query reads: the
   * column is null there if the query reads only some of its fields. By Data Source V1,
   * this depends on the fields of other columns too.
   */
  def has(column: StructField): Boolean =
    column.metadata.contains(EXISTS_DEFAULT_COLUMN_METADATA_KEY) && hasStruct(column.dataType)

  /** Returns true if a type is or contains a list or map that contains a struct. */
  def hasListOfStructs(dataType: DataType): Boolean = dataType match {
    case struct: StructType        => struct.exists(field => hasListOfStructs(field.dataType))
    case _: ArrayType | _: MapType => hasStruct(dataType)
    case _                         => false
  }

  /** Returns true if a type is or contains a struct. */
  def hasStruct(dataType: DataType): Boolean = dataType match {
    case _: StructType    => true
    case array: ArrayType => hasStruct(array.elementType)
    case map: MapType     => hasStruct(map.keyType) || hasStruct(map.valueType)
    case _                => false
  }
}
