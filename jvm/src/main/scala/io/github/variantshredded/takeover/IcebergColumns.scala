package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._

import org.apache.iceberg.types.{Type, Types}
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.types._

/** Gives the columns of an Iceberg table their field ids, by which Iceberg finds them in files. */
private[takeover] object IcebergColumns {

  /** Returns the columns with their field ids, or why these are not known. */
  def withFieldIds(columns: StructType, schema: Types.StructType): Either[String, StructType] = {
    val fields = schema.fields.asScala
    if (columns.fieldNames.toSeq != fields.map(_.name))
      Left("its columns are not those of its schema")
    else {
      Right(StructType(columns.fields.zip(fields).map { case (column, field) =>
        val metadata = new MetadataBuilder()
          .withMetadata(column.metadata)
          .putLong(ParquetUtils.FIELD_ID_METADATA_KEY, field.fieldId.toLong)
          .build()
        column.copy(dataType = withFieldIds(column.dataType, field.`type`), metadata = metadata)
      }))
    }
  }

  private def withFieldIds(dataType: DataType, stored: Type): DataType = (dataType, stored) match {
    case (struct: StructType, fields: Types.StructType) =>
      withFieldIds(struct, fields).fold(_ => struct, identity)
    case (array: ArrayType, list: Types.ListType) =>
      array.copy(elementType = withFieldIds(array.elementType, list.elementType))
    case (map: MapType, stored: Types.MapType) =>
      map.copy(
        keyType = withFieldIds(map.keyType, stored.keyType),
        valueType = withFieldIds(map.valueType, stored.valueType)
      )
    case _ => dataType
  }
}
