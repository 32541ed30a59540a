package io.github.variantshredded.read.cast

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Cast,
  EvalMode,
  MutableProjection,
  SpecificInternalRow
}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/**
 * Casts a column with Spark's cast from one atomic type to another, which Spark compiles for this
 * pair of types.
 */
private[read] final class CompiledCast(
    fromType: DataType,
    target: DataType,
    timeZoneId: Option[String]
) extends TypedCast {

  private val input = new SpecificInternalRow(Seq(fromType))
  private val output: InternalRow = new SpecificInternalRow(Seq(target))
  private val projection = MutableProjection
    .create(
      Seq(Cast(BoundReference(0, fromType, nullable = true), target, timeZoneId, EvalMode.TRY))
    )
    .target(output)

  override def cast(
      from: WritableColumnVector,
      to: WritableColumnVector,
      slots: Int,
      failures: Array[Boolean]
  ): Boolean = {
    val isInt = from.dataType == IntegerType
    var failed = false
    var slot = 0
    while (slot < slots) {
      if (from.isNullAt(slot)) to.putNull(slot)
      else {
        fromType match {
          case BooleanType       => input.setBoolean(0, from.getBoolean(slot))
          case LongType if isInt => input.setLong(0, from.getInt(slot).toLong)
          case FloatType         => input.setFloat(0, from.getFloat(slot))
          case DoubleType        => input.setDouble(0, from.getDouble(slot))
          case DateType          => input.setInt(0, from.getInt(slot))
          case StringType        => input.update(0, from.getUTF8String(slot))
          case BinaryType        => input.update(0, from.getBinary(slot))
          case _                 => input.setLong(0, from.getLong(slot))
        }
        projection(input)
        if (output.isNullAt(0)) {
          to.putNull(slot)
          failures(slot) = true
          failed = true
        } else {
          put(to, slot)
        }
      }
      slot += 1
    }
    failed
  }

  private def put(to: WritableColumnVector, slot: Int): Unit = target match {
    case BooleanType            => to.putBoolean(slot, output.getBoolean(0))
    case ByteType               => to.putByte(slot, output.getByte(0))
    case ShortType              => to.putShort(slot, output.getShort(0))
    case IntegerType | DateType => to.putInt(slot, output.getInt(0))
    case FloatType              => to.putFloat(slot, output.getFloat(0))
    case DoubleType             => to.putDouble(slot, output.getDouble(0))
    case decimal: DecimalType   =>
      to.putDecimal(
        slot,
        output.getDecimal(0, decimal.precision, decimal.scale),
        decimal.precision
      )
    case _: StringType => putBytes(to, slot, output.getUTF8String(0).getBytes)
    case BinaryType    => putBytes(to, slot, output.getBinary(0))
    case _             => to.putLong(slot, output.getLong(0))
  }

  private def putBytes(to: WritableColumnVector, slot: Int, bytes: Array[Byte]): Unit =
    to.putByteArray(slot, bytes, 0, bytes.length): Unit
}
