package io.github.variantshredded.shredding

import org.apache.spark.sql.types._

/** Finds Variants in Spark's types. */
private[variantshredded] object VariantTypes {

  /**
   * Returns whether the type is or contains a Variant; a user-defined type counts as its stored
   * type.
   */
  def hasVariant(dataType: DataType): Boolean = dataType match {
    case _: VariantType          => true
    case struct: StructType      => struct.exists(field => hasVariant(field.dataType))
    case array: ArrayType        => hasVariant(array.elementType)
    case map: MapType            => hasVariant(map.keyType) || hasVariant(map.valueType)
    case udt: UserDefinedType[_] => hasVariant(udt.sqlType)
    case _                       => false
  }

  /** Returns the schema, with user-defined types that contain Variants replaced by stored types. */
  def stored(schema: StructType): StructType =
    StructType(schema.map(field => field.copy(dataType = stored(field.dataType))))

  private def stored(dataType: DataType): DataType = dataType match {
    case struct: StructType => stored(struct)
    case array: ArrayType   => array.copy(elementType = stored(array.elementType))
    case map: MapType       =>
      map.copy(keyType = stored(map.keyType), valueType = stored(map.valueType))
    case udt: UserDefinedType[_] if hasVariant(udt) => stored(udt.sqlType)
    case other                                      => other
  }
}
