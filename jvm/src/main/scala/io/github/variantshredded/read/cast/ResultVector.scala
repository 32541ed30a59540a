package io.github.variantshredded.read.cast

import io.github.variantshredded.spark.RowsToColumns
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Writes boxed Catalyst values to vectors, for types and casts without a vectorized path. */
private[read] object ResultVector {

  /** Writes a value of an atomic type to a slot. */
  def put(target: WritableColumnVector, slot: Int, value: Any): Unit = value match {
    case null               => target.putNull(slot)
    case flag: Boolean      => target.putBoolean(slot, flag)
    case number: Byte       => target.putByte(slot, number)
    case number: Short      => target.putShort(slot, number)
    case number: Int        => target.putInt(slot, number)
    case number: Long       => target.putLong(slot, number)
    case number: Float      => target.putFloat(slot, number)
    case number: Double     => target.putDouble(slot, number)
    case text: UTF8String   => putBytes(target, slot, text.getBytes)
    case bytes: Array[Byte] => putBytes(target, slot, bytes)
    case decimal: Decimal   =>
      target.putDecimal(slot, decimal, target.dataType.asInstanceOf[DecimalType].precision)
    case other => throw new IllegalArgumentException(s"Not a value of an atomic type: $other")
  }

  private def putBytes(target: WritableColumnVector, slot: Int, bytes: Array[Byte]): Unit =
    target.putByteArray(slot, bytes, 0, bytes.length): Unit

  def isNested(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType | VariantType => true
    case _                                                       => false
  }

  /** Fills `target` slot by slot; `start` resets it. */
  final class Appender(target: WritableColumnVector) {
    private val row = new GenericInternalRow(1)
    private val nested =
      if (isNested(target.dataType)) new RowsToColumns(target.dataType, target) else null
    private var next = 0

    def start(slots: Int): Unit = {
      target.reset()
      target.reserve(slots)
      next = 0
    }

    /** Appends the value of the next slot. */
    def append(value: Any): Unit = {
      if (nested == null) put(target, next, value)
      else {
        row.update(0, value)
        nested.append(row)
      }
      next += 1
    }
  }
}
