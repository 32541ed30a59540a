package io.github.variantshredded.read.cast

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/** Casts integer and floating-point columns in one loop each. */
private[read] object NumericCasts {

  private final val MicrosPerSecond = 1000000L

  final class IntToLong extends TypedCast {
    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot) else to.putLong(slot, from.getInt(slot).toLong)
        slot += 1
      }
      false
    }
  }

  final class IntToDouble extends TypedCast {
    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot)
        else to.putDouble(slot, from.getInt(slot).toDouble)
        slot += 1
      }
      false
    }
  }

  final class LongToDouble extends TypedCast {
    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      val isInt = from.dataType == IntegerType
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot)
        else
          to.putDouble(slot, (if (isInt) from.getInt(slot).toLong else from.getLong(slot)).toDouble)
        slot += 1
      }
      false
    }
  }

  final class FloatToDouble extends TypedCast {
    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot)
        else to.putDouble(slot, from.getFloat(slot).toDouble)
        slot += 1
      }
      false
    }
  }

  /** Casts to a narrower integer type. A number outside of `[min, max]` is a failure. */
  final class Narrow(min: Long, max: Long) extends TypedCast {
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
          val number = if (isInt) from.getInt(slot).toLong else from.getLong(slot)
          if (number < min || number > max) {
            to.putNull(slot)
            failures(slot) = true
            failed = true
          } else if (max == Byte.MaxValue) to.putByte(slot, number.toByte)
          else if (max == Short.MaxValue) to.putShort(slot, number.toShort)
          else to.putInt(slot, number.toInt)
        }
        slot += 1
      }
      failed
    }
  }

  final class SecondsToTimestamp extends TypedCast {
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
          val seconds = if (isInt) from.getInt(slot).toLong else from.getLong(slot)
          val micros = seconds * MicrosPerSecond
          if (Math.multiplyHigh(seconds, MicrosPerSecond) != (micros >> 63)) {
            to.putNull(slot)
            failures(slot) = true
            failed = true
          } else {
            to.putLong(slot, micros)
          }
        }
        slot += 1
      }
      failed
    }
  }

  /**
   * Checks that the numbers are within the range of the column's shredded type, then casts them.
   */
  final class Ranged(next: TypedCast, limit: Int, name: String) extends TypedCast {
    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var slot = 0
      while (slot < slots) {
        if (!from.isNullAt(slot)) {
          val number = from.getInt(slot)
          if (number > limit || number < -limit - 1) {
            throw VariantShreddedErrors.invalidShreddedValue(
              s"'typed_value' holds $number, which is out of the range of $name.",
              ErrorLocation()
            )
          }
        }
        slot += 1
      }
      next.cast(from, to, slots, failures)
    }
  }
}
