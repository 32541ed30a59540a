package io.github.variantshredded.read.cast

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.{PrimitiveCode, PrimitiveVectors}
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/** Casts decimal4 and decimal8 columns, whose unscaled values fit into a Long. */
private[read] object DecimalCasts {

  private val Pow10: Array[Long] = Array.iterate(1L, Decimal.MAX_LONG_DIGITS + 1)(_ * 10L)
  private val Pow10Double: Array[Double] = Pow10.map(_.toDouble)

  /** For Longs below this limit, the quotient by a power of ten is the nearest double. */
  private final val MaxExact = 1L << 52

  /**
   * Returns the cast to a decimal type; None if digits may be lost or the result may not fit into a
   * Long.
   */
  def rescale(column: PrimitiveVectors, target: DecimalType): Option[TypedCast] =
    Option.when(
      target.precision <= Decimal.MAX_LONG_DIGITS && target.scale >= column.scale &&
        target.scale - column.scale < Pow10.length
    )(new Rescale(column, target))

  private abstract class OfUnscaled(column: PrimitiveVectors) {
    private val isInt = column.code == PrimitiveCode.Decimal4
    private val limit = if (isInt) Pow10(Decimal.MAX_INT_DIGITS) else Pow10(Decimal.MAX_LONG_DIGITS)

    def unscaled(from: WritableColumnVector, slot: Int): Long = {
      val number = if (isInt) from.getInt(slot).toLong else from.getLong(slot)
      if (number >= limit || number <= -limit) {
        throw VariantShreddedErrors.invalidShreddedValue(
          s"'typed_value' holds $number, which is out of the range of " +
            (if (isInt) "decimal4." else "decimal8."),
          ErrorLocation(path = Some(column.typed.leaf.path))
        )
      }
      number
    }
  }

  private final class Rescale(column: PrimitiveVectors, target: DecimalType) extends TypedCast {
    private val source = new OfUnscaled(column) {}
    private val factor = Pow10(target.scale - column.scale)
    // The greatest unscaled value that fits the target.
    private val limit = (Pow10(target.precision) - 1) / factor
    private val isInt = target.precision <= Decimal.MAX_INT_DIGITS

    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var failed = false
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot)
        else {
          val number = source.unscaled(from, slot)
          if (number > limit || number < -limit) {
            to.putNull(slot)
            failures(slot) = true
            failed = true
          } else if (isInt) to.putInt(slot, (number * factor).toInt)
          else to.putLong(slot, number * factor)
        }
        slot += 1
      }
      failed
    }
  }

  final class ToDouble(column: PrimitiveVectors) extends TypedCast {
    private val source = new OfUnscaled(column) {}
    private val divisor = Pow10Double(column.scale)

    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot)
        else {
          val number = source.unscaled(from, slot)
          to.putDouble(
            slot,
            if (number < MaxExact && number > -MaxExact) number.toDouble / divisor
            else java.math.BigDecimal.valueOf(number, column.scale).doubleValue
          )
        }
        slot += 1
      }
      false
    }
  }

  /** Casts to Long; digits after the decimal point are cut off. */
  final class ToLong(column: PrimitiveVectors) extends TypedCast {
    private val source = new OfUnscaled(column) {}
    private val divisor = Pow10(column.scale)

    override def cast(
        from: WritableColumnVector,
        to: WritableColumnVector,
        slots: Int,
        failures: Array[Boolean]
    ): Boolean = {
      var slot = 0
      while (slot < slots) {
        if (from.isNullAt(slot)) to.putNull(slot)
        else to.putLong(slot, source.unscaled(from, slot) / divisor)
        slot += 1
      }
      false
    }
  }
}
