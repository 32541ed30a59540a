package io.github.variantshredded

import scala.collection.mutable

import io.github.variantshredded.variant.VariantMeaning
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, XXH64}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.connector.catalog.functions.{
  BoundFunction,
  ScalarFunction,
  UnboundFunction
}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Defines the SQL function `variant_shredded.checksum(value)`, which returns a BIGINT that is equal
 * for values with the same meaning. Variants in them may be encoded differently (see
 * `VariantMeaning`), and the entries of maps may be in any order.
 *
 * `sum(cast(variant_shredded.checksum(struct(*)) AS decimal(38)))` over a table does not depend on
 * the order of rows.
 */
private[variantshredded] object Checksum extends UnboundFunction {
  val Name = "checksum"

  override def name(): String = Name

  override def description(): String =
    s"${VariantShreddedCatalog.Name}.$Name(value): a hash of what a value means"

  override def bind(inputType: StructType): BoundFunction = {
    if (inputType.length != 1) {
      throw new UnsupportedOperationException(s"$Name takes one argument")
    }
    new OfValue(inputType.head.dataType)
  }

  private final class OfValue(dataType: DataType) extends ScalarFunction[java.lang.Long] {
    override def name(): String = Name

    override def canonicalName(): String =
      s"${VariantShreddedCatalog.Name}.$Name(${dataType.catalogString})"

    override def inputTypes(): Array[DataType] = Array(dataType)

    override def resultType(): DataType = LongType

    override def isResultNullable: Boolean = false

    override def produceResult(input: InternalRow): java.lang.Long =
      if (input.isNullAt(0)) NullHash
      else of(input.get(0, dataType), dataType, variants.get)
  }

  private val variants = ThreadLocal.withInitial[VariantMeaning](() => new VariantMeaning)

  private final val NullHash = 0x6e756c6cL

  private def of(value: Any, dataType: DataType, variants: VariantMeaning): Long =
    (value, dataType) match {
      case (null, _)                    => NullHash
      case (_, udt: UserDefinedType[_]) => of(value, udt.sqlType, variants)
      case (variant: VariantVal, _)     => variants.hash(variant.getValue, variant.getMetadata)
      case (row: InternalRow, struct: StructType) =>
        struct.fields.indices.foldLeft(struct.length.toLong) { (all, i) =>
          val fieldType = struct(i).dataType
          XXH64.hashLong(
            of(if (row.isNullAt(i)) null else row.get(i, fieldType), fieldType, variants),
            all
          )
        }
      case (array: ArrayData, ArrayType(elementType, _))  => ofArray(array, elementType, variants)
      case (map: MapData, MapType(keyType, valueType, _)) =>
        val keys = map.keyArray()
        val values = map.valueArray()
        (0 until map.numElements()).foldLeft(map.numElements().toLong) { (sum, i) =>
          val key = of(keys.get(i, keyType), keyType, variants)
          sum + XXH64.hashLong(of(element(values, i, valueType), valueType, variants), key)
        }
      case (text: UTF8String, _) =>
        val bytes = text.getBytes
        VariantMeaning.ofBytes(bytes, 0, bytes.length, 1)
      case (bytes: Array[Byte], _) => VariantMeaning.ofBytes(bytes, 0, bytes.length, 2)
      case (flag: Boolean, _)      => XXH64.hashInt(if (flag) 1 else 0, 3)
      case (number: Byte, _)       => XXH64.hashLong(number.toLong, 4)
      case (number: Short, _)      => XXH64.hashLong(number.toLong, 4)
      case (number: Int, _)        => XXH64.hashLong(number.toLong, 4)
      case (number: Long, _)       => XXH64.hashLong(number, 4)
      case (number: Float, _)      => XXH64.hashInt(java.lang.Float.floatToIntBits(number), 5)
      case (number: Double, _)     =>
        XXH64.hashLong(java.lang.Double.doubleToLongBits(number), 6)
      case (number: Decimal, _) => VariantMeaning.ofExact(number.toJavaBigDecimal)
      case (other, otherType)   =>
        val row = rows.get.getOrElseUpdate(otherType, UnsafeProjection.create(Array(otherType)))
        val bytes = row(InternalRow(other)).getBytes
        VariantMeaning.ofBytes(bytes, 0, bytes.length, 7)
    }

  // Not all versions of Spark have the classes of other values, such as those of GEOMETRY. So these
  // values are compared by the bytes that Spark stores in its rows.
  private val rows =
    ThreadLocal.withInitial[mutable.Map[DataType, UnsafeProjection]](() => mutable.Map.empty)

  private def ofArray(array: ArrayData, elementType: DataType, variants: VariantMeaning): Long =
    (0 until array.numElements()).foldLeft(array.numElements().toLong) { (all, i) =>
      XXH64.hashLong(of(element(array, i, elementType), elementType, variants), all)
    }

  private def element(array: ArrayData, i: Int, elementType: DataType): Any =
    if (array.isNullAt(i)) null else array.get(i, elementType)
}
