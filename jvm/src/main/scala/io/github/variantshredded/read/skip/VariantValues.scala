package io.github.variantshredded.read.skip

import io.github.variantshredded.extraction.ExtractionResult
import io.github.variantshredded.read.cast.VariantCaster
import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.TypedValue
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.{Variant, VariantBuilder}

/**
 * Converts the values of primitive `typed_value` columns in the same way as Spark casts the
 * Variants that they represent.
 */
private[skip] object VariantValues {

  /**
   * Returns the conversion of a column.
   *
   * @param target
   *   the type of the cast: the type of `what`, or of a field or element in it
   * @return
   *   None if the cast is not monotonic
   */
  def of(
      typed: TypedValue.Primitive,
      what: ExtractionResult.Value,
      target: DataType,
      rebase: CalendarRebase
  ): Option[StoredValues] = {
    val physical = typed.leaf.descriptor.getPrimitiveType
    (typed.shreddedType, target) match {
      case (ShreddedType.BooleanType, BooleanType) | (ShreddedType.Binary, BinaryType) =>
        Some(new ColumnValues.Same(physical, target))
      case (ShreddedType.StringType, StringType) => Some(new ColumnValues.Strings(physical))
      case (ShreddedType.Date, DateType)         => Some(new ColumnValues.Dates(physical, rebase))
      case (ShreddedType.TimestampMicros, TimestampType) =>
        Some(new ColumnValues.Timestamps(physical, target, 1, rebase))
      case (ShreddedType.TimestampNtzMicros, TimestampNTZType) =>
        Some(new ColumnValues.Timestamps(physical, target, 1, CalendarRebase.None))
      case (ShreddedType.FloatType | ShreddedType.DoubleType, FloatType | DoubleType) =>
        Some(new Floating(typed, new VariantCaster(what, target)))
      case (
            stored,
            ByteType | ShortType | IntegerType | LongType | _: DecimalType | FloatType | DoubleType
          ) =>
        numbers(stored, physical, new VariantCaster(what, target))
      case _ => None
    }
  }

  private def cast(caster: VariantCaster)(append: VariantBuilder => Unit): Option[Any] = {
    val builder = new VariantBuilder(false)
    append(builder)
    val variant: Variant = builder.result()
    Option(caster.cast(variant))
  }

  private final class Floating(typed: TypedValue.Primitive, caster: VariantCaster)
      extends StoredValues(typed.leaf.descriptor.getPrimitiveType, caster.target) {
    override protected def convert(stored: Any): Option[Any] = (stored, dataType) match {
      case (_: Float, FloatType) | (_: Double, DoubleType) => Some(stored)
      case (number: Float, _)                              => cast(caster)(_.appendFloat(number))
      case (number: Double, _)                             => cast(caster)(_.appendDouble(number))
      case _                                               => None
    }
    override def isTotal: Boolean = true
    override def mayHideNaN: Boolean = true
    override def isExact: Boolean = true
  }

  /** Describes exact numbers of up to `count` digits, `scale` of them after the decimal point. */
  private final case class Digits(count: Int, scale: Int) {

    /**
     * Returns true if every such number can be cast to `target`, possibly with decimal places cut
     * off.
     */
    def fit(target: DataType): Boolean = target match {
      case ByteType             => count - scale <= 2
      case ShortType            => count - scale <= 4
      case IntegerType          => count - scale <= Decimal.MAX_INT_DIGITS
      case LongType             => count - scale <= Decimal.MAX_LONG_DIGITS
      case decimal: DecimalType =>
        scale <= decimal.scale && count - scale <= decimal.precision - decimal.scale
      case FloatType | DoubleType => true
      case _                      => false
    }
  }

  private abstract class Numbers(physical: PrimitiveType, caster: VariantCaster, digits: Digits)
      extends StoredValues(physical, caster.target) {
    override def isTotal: Boolean = digits.fit(dataType)
    override def isExact: Boolean = physical.getPrimitiveTypeName match {
      case PrimitiveTypeName.INT32 | PrimitiveTypeName.INT64 => true
      case _                                                 => false
    }
  }

  private final class Integers(
      physical: PrimitiveType,
      caster: VariantCaster,
      min: Long,
      max: Long
  ) extends Numbers(physical, caster, Digits(max.toString.length, 0)) {

    override protected def convert(stored: Any): Option[Any] =
      PlainValue.integer(stored).filter(number => number >= min && number <= max).flatMap {
        number =>
          // These types are cast here because a dictionary page may have very many values.
          dataType match {
            case LongType    => Some(number)
            case DoubleType  => Some(number.toDouble)
            case IntegerType => Option.when(number.isValidInt)(number.toInt)
            case _           => cast(caster)(_.appendLong(number))
          }
      }

    override def isTotal: Boolean = super.isTotal || (dataType match {
      case ByteType    => max <= Byte.MaxValue
      case ShortType   => max <= Short.MaxValue
      case IntegerType => max <= Int.MaxValue
      case LongType    => true
      case _           => false
    })

    override def storedFor(literal: Any): Option[StoredLiteral] = literal match {
      case number: Byte    => Some(fitting(number.toLong))
      case number: Short   => Some(fitting(number.toLong))
      case number: Int     => Some(fitting(number.toLong))
      case number: Long    => Some(fitting(number))
      case number: Decimal =>
        DecimalForm.of(physical, 0, number.toJavaBigDecimal).map {
          case StoredLiteral.Is(int: Int)   => fitting(int.toLong)
          case StoredLiteral.Is(long: Long) => fitting(long)
          case _                            => StoredLiteral.Nothing
        }
      case _ => None
    }

    private def fitting(number: Long): StoredLiteral =
      if (number < min || number > max) StoredLiteral.Nothing
      else if (physical.getPrimitiveTypeName == PrimitiveTypeName.INT32) {
        StoredLiteral.Is(number.toInt)
      } else StoredLiteral.Is(number)
  }

  private final class Decimals(
      physical: PrimitiveType,
      caster: VariantCaster,
      digits: Digits
  ) extends Numbers(physical, caster, digits) {

    override protected def convert(stored: Any): Option[Any] =
      StoredValues.decimal(stored, digits.scale, digits.count).flatMap { number =>
        cast(caster)(_.appendDecimal(number))
      }

    override def storedFor(literal: Any): Option[StoredLiteral] = (literal, dataType) match {
      // With a greater scale, several stored decimals could be rounded to the literal.
      case (number: Decimal, target: DecimalType) if digits.scale <= target.scale =>
        DecimalForm.of(physical, digits.scale, number.toJavaBigDecimal)
      case _ => None
    }
  }

  private def numbers(
      stored: ShreddedType,
      physical: PrimitiveType,
      caster: VariantCaster
  ): Option[StoredValues] = {
    def integers(min: Long, max: Long) = Some(new Integers(physical, caster, min, max))
    stored match {
      case ShreddedType.Int8  => integers(Byte.MinValue.toLong, Byte.MaxValue.toLong)
      case ShreddedType.Int16 => integers(Short.MinValue.toLong, Short.MaxValue.toLong)
      case ShreddedType.Int32 => integers(Int.MinValue.toLong, Int.MaxValue.toLong)
      case ShreddedType.Int64 => integers(Long.MinValue, Long.MaxValue)
      case ShreddedType.DecimalOf(_, scale) =>
        // The column may hold numbers with more digits than the precision of its annotation.
        val digits = physical.getPrimitiveTypeName match {
          case PrimitiveTypeName.INT32 => Decimal.MAX_INT_DIGITS
          case PrimitiveTypeName.INT64 => Decimal.MAX_LONG_DIGITS
          case _                       => DecimalType.MAX_PRECISION
        }
        Some(new Decimals(physical, caster, Digits(digits, scale)))
      case _ => None
    }
  }
}
