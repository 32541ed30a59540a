package io.github.variantshredded.read.scan

import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.types._

/**
 * Parquet field ids, by which a scan finds columns in files that were written when the columns had
 * other names.
 */
private[scan] object FieldIds {

  /**
   * Returns the columns with the field ids that they have in `all`. Spark prunes columns without
   * regard to them.
   */
  def withIdsOf(columns: StructType, all: StructType): StructType =
    if (ParquetUtils.hasFieldIds(all)) struct(columns, all) else columns

  private def struct(columns: StructType, all: StructType): StructType = StructType(
    columns.map { column =>
      all.find(_.name == column.name).fold(column) { field =>
        val typed = column.copy(dataType = nested(column.dataType, field.dataType))
        if (!ParquetUtils.hasFieldId(field) || ParquetUtils.hasFieldId(column)) typed
        else typed.copy(metadata = withId(column.metadata, ParquetUtils.getFieldId(field)))
      }
    }
  )

  private def nested(dataType: DataType, all: DataType): DataType = (dataType, all) match {
    case (columns: StructType, all: StructType) => struct(columns, all)
    case (array: ArrayType, all: ArrayType)     =>
      array.copy(elementType = nested(array.elementType, all.elementType))
    case (map: MapType, all: MapType) =>
      map.copy(
        keyType = nested(map.keyType, all.keyType),
        valueType = nested(map.valueType, all.valueType)
      )
    case _ => dataType
  }

  private def withId(metadata: Metadata, id: Int): Metadata = new MetadataBuilder()
    .withMetadata(metadata)
    .putLong(ParquetUtils.FIELD_ID_METADATA_KEY, id.toLong)
    .build()
}
