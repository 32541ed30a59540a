package io.github.variantshredded.read.decode

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal

/**
 * Fills a vector with copies of one value. Spark's `WritableColumnVector.appendObjects` does so only
 * for some types: it refuses nulls in structs, BINARY, Variants and large decimals, and repeats no
 * map.
 */
private[read] object RepeatedValue {

  /**
   * Returns a vector with the value in each row.
   *
   * @param value
   *   the value in Spark's internal form; not null
   */
  def vector(dataType: DataType, value: Any, settings: DecoderSettings): WritableColumnVector = {
    val stored = storedType(dataType)
    val filled = settings.newVector(stored)
    try {
      (0 until settings.capacity).foreach(_ => append(filled, stored, value))
      filled
    } catch {
      case e: Throwable =>
        filled.close()
        throw e
    }
  }

  private def storedType(dataType: DataType): DataType = dataType match {
    case udt: UserDefinedType[_] => storedType(udt.sqlType)
    case array: ArrayType        => array.copy(elementType = storedType(array.elementType))
    case map: MapType            =>
      map.copy(keyType = storedType(map.keyType), valueType = storedType(map.valueType))
    case struct: StructType =>
      StructType(struct.map(field => field.copy(dataType = storedType(field.dataType))))
    case other => other
  }

  private def append(to: WritableColumnVector, dataType: DataType, value: Any): Unit =
    (dataType, value) match {
      case (_: StructType | _: VariantType, null)  => to.appendStruct(true): Unit
      case (_, null)                               => to.appendNull(): Unit
      case (struct: StructType, row: InternalRow)  => appendStruct(to, struct, row)
      case (array: ArrayType, elements: ArrayData) =>
        to.appendArray(elements.numElements())
        appendAll(to.arrayData, array.elementType, elements)
      case (map: MapType, entries: MapData) =>
        to.appendArray(entries.numElements())
        appendAll(to.getChild(0), map.keyType, entries.keyArray())
        appendAll(to.getChild(1), map.valueType, entries.valueArray())
      case (_: VariantType, variant: VariantVal) =>
        to.appendStruct(false)
        appendBytes(to.getChild(0), variant.getValue)
        appendBytes(to.getChild(1), variant.getMetadata)
      case (_, bytes: Array[Byte])                 => appendBytes(to, bytes)
      case (decimal: DecimalType, number: Decimal) => appendDecimal(to, decimal, number)
      case (_, atomic)                             =>
        if (to.appendObjects(1, atomic).isEmpty) {
          throw new IllegalArgumentException(s"A default value of type ${dataType.catalogString}")
        }
    }

  private def appendDecimal(to: WritableColumnVector, decimal: DecimalType, number: Decimal): Unit =
    if (decimal.precision <= Decimal.MAX_INT_DIGITS) to.appendInt(number.toUnscaledLong.toInt): Unit
    else if (decimal.precision <= Decimal.MAX_LONG_DIGITS)
      to.appendLong(number.toUnscaledLong): Unit
    else appendBytes(to, number.toJavaBigDecimal.unscaledValue.toByteArray)

  private def appendStruct(
      to: WritableColumnVector,
      struct: StructType,
      row: InternalRow
  ): Unit = {
    to.appendStruct(false)
    struct.fields.indices.foreach { i =>
      val fieldType = struct(i).dataType
      append(to.getChild(i), fieldType, row.get(i, fieldType))
    }
  }

  private def appendAll(to: WritableColumnVector, dataType: DataType, values: ArrayData): Unit =
    values.foreach(dataType, (_, value) => append(to, dataType, value))

  private def appendBytes(to: WritableColumnVector, bytes: Array[Byte]): Unit =
    to.appendByteArray(bytes, 0, bytes.length): Unit
}
