package io.github.variantshredded.read.cast

import io.github.variantshredded.read.decode.{LeafDecoding, LeafVector, PrimitiveVectors}
import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{TypedValue, VariantLeaf}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Types
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** A `typed_value` column with some values, and what casts make of it. */
private[cast] final class CastColumn(
    shreddedType: ShreddedType,
    physical: PrimitiveTypeName,
    values: Seq[Any]
) {

  val primitive: PrimitiveVectors = {
    val leaf = Types.optional(physical).length(16).named("typed_value")
    val descriptor = new ColumnDescriptor(Array("v", "typed_value"), leaf, 0, 2)
    val typed = TypedValue.Primitive(new VariantLeaf(0, descriptor, false), shreddedType)
    val vector = CastColumn.vector(LeafDecoding.typed(typed)._1, values)
    new PrimitiveVectors(
      typed,
      new LeafVector {
        override def values: WritableColumnVector = vector
        override def isAllNull: Boolean = false
      }
    )
  }

  def castTo(target: DataType, timeZone: String = "UTC"): Option[TypedCast] =
    TypedCast.of(primitive, target, Some(timeZone))

  /** The results by slot: a value, null, or [[CastColumn.Failed]]. */
  def results(cast: TypedCast, target: DataType): Seq[Any] = {
    val to = new OnHeapColumnVector(values.size, target)
    val failures = new Array[Boolean](values.size)
    val failed = cast.cast(primitive.column.values, to, values.size, failures)
    assert(failed == failures.contains(true), "the result of cast() tells of failures")
    val row = new ColumnarBatch(Array[ColumnVector](to), values.size)
    values.indices.map { slot =>
      if (failures(slot)) {
        assert(to.isNullAt(slot), s"slot $slot failed and is null")
        CastColumn.Failed
      } else if (to.isNullAt(slot)) null
      else CastColumn.value(row.getRow(slot), target)
    }
  }

  def results(target: DataType, timeZone: String = "UTC"): Seq[Any] =
    results(castTo(target, timeZone).get, target)
}

private[cast] object CastColumn {

  /** In the place of a value that could not be cast. */
  case object Failed

  /** Values of one column; such a list of Seq's would have an inferred type of Any. */
  def slots(values: Any*): Seq[Any] = values

  def ints(values: Any*): CastColumn = new CastColumn(ShreddedType.Int32, INT32, values)

  def longs(values: Any*): CastColumn = new CastColumn(ShreddedType.Int64, INT64, values)

  def decimal4(scale: Int)(unscaled: Any*): CastColumn =
    new CastColumn(ShreddedType.DecimalOf(9, scale), INT32, unscaled)

  def decimal8(scale: Int)(unscaled: Any*): CastColumn =
    new CastColumn(ShreddedType.DecimalOf(18, scale), INT64, unscaled)

  def vector(dataType: DataType, values: Seq[Any]): WritableColumnVector = {
    val vector = new OnHeapColumnVector(math.max(1, values.size), dataType)
    values.zipWithIndex.foreach {
      case (text: String, slot) => ResultVector.put(vector, slot, UTF8String.fromString(text))
      case (value, slot)        => ResultVector.put(vector, slot, value)
    }
    vector
  }

  /** The value of the first column, in a form that can be compared. */
  def value(row: SpecializedGetters, dataType: DataType): Any = row.get(0, dataType) match {
    case text: UTF8String   => text.toString
    case bytes: Array[Byte] => bytes.toVector
    case decimal: Decimal   => decimal.toJavaBigDecimal
    case other              => other
  }
}
