package io.github.variantshredded

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types._

/** The Spark types that a column may have: Variant, and what Spark's Parquet source takes. */
private[variantshredded] object ColumnTypes {

  def supported(dataType: DataType): Boolean = dataType match {
    case StructType(fields)      => fields.forall(field => supported(field.dataType))
    case ArrayType(element, _)   => supported(element)
    case MapType(key, value, _)  => supported(key) && supported(value)
    case udt: UserDefinedType[_] => supported(udt.sqlType)
    case _: CalendarIntervalType | _: ObjectType => false
    case _: NullType                             => false
    case _                                       => true
  }

  /** Raises Spark's `UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE` if the column cannot be stored. */
  def check(field: StructField): Unit =
    if (!supported(field.dataType)) {
      val parameters = Map(
        "columnName" -> PartitionColumns.quoted(field.name),
        "columnType" -> s"\"${field.dataType.sql}\"",
        "format" -> VariantShreddedSource.ShortName
      )
      throw new AnalysisException("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", parameters)
    }
}
