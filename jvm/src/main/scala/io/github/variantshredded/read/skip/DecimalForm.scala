package io.github.variantshredded.read.skip

import java.math.{BigDecimal, BigInteger, RoundingMode}

import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/** Converts decimals to the form in which columns store them. */
private[skip] object DecimalForm {

  /** Returns the stored form of `number`; None if a number has several forms, as in a BINARY. */
  def of(physical: PrimitiveType, scale: Int, number: BigDecimal): Option[StoredLiteral] = {
    val unscaled =
      try Some(number.setScale(scale, RoundingMode.UNNECESSARY).unscaledValue)
      catch { case _: ArithmeticException => None }
    physical.getPrimitiveTypeName match {
      case INT32                => Some(fitting(unscaled, 31)(_.intValue))
      case INT64                => Some(fitting(unscaled, 63)(_.longValue))
      case FIXED_LEN_BYTE_ARRAY =>
        val size = physical.getTypeLength
        Some(fitting(unscaled, 8 * size - 1)(bigEndian(_, size)))
      case _ => None
    }
  }

  private def fitting(unscaled: Option[BigInteger], bits: Int)(
      stored: BigInteger => Any
  ): StoredLiteral =
    unscaled.filter(_.bitLength <= bits).fold[StoredLiteral](StoredLiteral.Nothing) { number =>
      StoredLiteral.Is(stored(number))
    }

  private def bigEndian(number: BigInteger, size: Int): Array[Byte] = {
    val shortest = number.toByteArray
    val sign: Byte = if (number.signum < 0) -1 else 0
    Array.fill(size - shortest.length)(sign) ++ shortest
  }
}
