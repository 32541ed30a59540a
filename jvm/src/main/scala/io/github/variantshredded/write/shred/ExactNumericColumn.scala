package io.github.variantshredded.write.shred

import java.math.{BigDecimal, BigInteger, RoundingMode}

import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.SpecLayoutWriter
import io.github.variantshredded.variant.{VariantConstants, VariantReader}
import io.github.variantshredded.write.column.LeafWriter

/**
 * Writes a column of integers or decimals that accepts every integer and decimal whose value it can
 * hold ("Shredding Semantics", 1): the number stays the same, but gets the type of the column.
 *
 * @param own
 *   a column for numbers of this column's type, which most are
 * @param scale
 *   scale of the column, 0 for integers
 * @param min
 *   least unscaled number
 * @param max
 *   greatest unscaled number
 */
private[write] final class ExactNumericColumn private (
    own: ShreddedColumn,
    scale: Int,
    min: BigInteger,
    max: BigInteger,
    put: (BigInteger, LeafWriter, Int) => Unit
) extends ShreddedColumn {

  override def holds(bytes: Array[Byte], pos: Int, end: Int): Boolean =
    own.holds(bytes, pos, end) || unscaled(bytes, pos, end).isDefined

  override def add(
      bytes: Array[Byte],
      pos: Int,
      end: Int,
      leaf: LeafWriter,
      repetition: Int
  ): Unit =
    if (own.holds(bytes, pos, end)) own.add(bytes, pos, end, leaf, repetition)
    else unscaled(bytes, pos, end).foreach(put(_, leaf, repetition))

  /** Returns the unscaled number to store; None if the value is no number that fits exactly. */
  private def unscaled(bytes: Array[Byte], pos: Int, end: Int): Option[BigInteger] = {
    val kind = VariantReader.kind(bytes, pos, end)
    val number: Option[BigDecimal] =
      if (kind >= VariantConstants.Int8 && kind <= VariantConstants.Int64) {
        Some(BigDecimal.valueOf(VariantReader.getLong(bytes, pos, end)))
      } else if (kind >= VariantConstants.Decimal4 && kind <= VariantConstants.Decimal16) {
        Some(VariantReader.getDecimal(bytes, pos, end))
      } else None
    number.flatMap { exact =>
      val rounded = exact.setScale(scale, RoundingMode.DOWN)
      val unscaled = rounded.unscaledValue
      val fits = unscaled.compareTo(min) >= 0 && unscaled.compareTo(max) <= 0
      Option.when(fits && rounded.compareTo(exact) == 0)(unscaled)
    }
  }
}

private[write] object ExactNumericColumn {

  /**
   * Returns a column that accepts all numbers if `shreddedType` is numeric, and `own` otherwise.
   */
  def apply(shreddedType: ShreddedType, own: ShreddedColumn): ShreddedColumn = {
    def integers(min: Long, max: Long, put: (BigInteger, LeafWriter, Int) => Unit) =
      new ExactNumericColumn(own, 0, BigInteger.valueOf(min), BigInteger.valueOf(max), put)
    shreddedType match {
      case ShreddedType.Int8  => integers(Byte.MinValue.toLong, Byte.MaxValue.toLong, asInt)
      case ShreddedType.Int16 => integers(Short.MinValue.toLong, Short.MaxValue.toLong, asInt)
      case ShreddedType.Int32 => integers(Int.MinValue.toLong, Int.MaxValue.toLong, asInt)
      case ShreddedType.Int64 => integers(Long.MinValue, Long.MaxValue, asLong)
      case ShreddedType.DecimalOf(precision, scale) =>
        val max = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE)
        val put =
          if (precision <= 9) asInt
          else if (precision <= 18) asLong
          else asFixed(SpecLayoutWriter.decimalBytes(precision))
        new ExactNumericColumn(own, scale, max.negate, max, put)
      case _ => own
    }
  }

  private val asInt: (BigInteger, LeafWriter, Int) => Unit =
    (number, leaf, repetition) => leaf.addInt(number.intValueExact, repetition)

  private val asLong: (BigInteger, LeafWriter, Int) => Unit =
    (number, leaf, repetition) => leaf.addLong(number.longValueExact, repetition)

  private def asFixed(length: Int): (BigInteger, LeafWriter, Int) => Unit = {
    val buffer = new Array[Byte](length)
    (number, leaf, repetition) => {
      Unscaled.putBigEndian(number.shiftRight(64).longValue, number.longValue, buffer)
      leaf.addFixed(buffer, 0, length, repetition)
    }
  }
}
