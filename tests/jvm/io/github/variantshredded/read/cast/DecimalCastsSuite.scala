package io.github.variantshredded.read.cast

import java.math.{BigDecimal, RoundingMode}

import scala.util.Random

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.cast.CastColumn._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Each cast from decimal4 and decimal8 columns, compared with BigDecimal. */
class DecimalCastsSuite extends AnyFunSuite {

  private def number(text: String): BigDecimal = new BigDecimal(text)

  test("to a decimal of a greater scale: zeros are added") {
    assert(
      decimal4(2)(150, -150, 0, null).results(DecimalType(9, 4)) ===
        slots(number("1.5000"), number("-1.5000"), number("0.0000"), null)
    )
    assert(decimal4(2)(150).results(DecimalType(18, 4)) === slots(number("1.5000")))
    assert(decimal8(2)(150L).results(DecimalType(5, 2)) === slots(number("1.50")))
  }

  test("to a decimal with too few digits: numbers that do not fit fail") {
    assert(
      decimal4(2)(999, 1000, -999, -1000, null).results(DecimalType(3, 2)) ===
        slots(number("9.99"), Failed, number("-9.99"), Failed, null)
    )
    assert(
      decimal4(0)(99, 100, -99, -100).results(DecimalType(4, 2)) ===
        slots(number("99.00"), Failed, number("-99.00"), Failed)
    )
  }

  test("a decimal that is not stored as a long, or loses digits, is left to Spark") {
    assert(decimal4(2)().castTo(DecimalType(9, 1)).isEmpty)
    assert(decimal4(2)().castTo(DecimalType(19, 2)).isEmpty)
    assert(decimal4(2)().castTo(DecimalType(18, 2)).isDefined)
    assert(decimal4(0)().castTo(DecimalType(18, 18)).isDefined)
    Seq(StringType, IntegerType, FloatType, BooleanType).foreach { target =>
      assert(decimal4(2)().castTo(target).isEmpty)
    }
  }

  test("to double: the nearest double") {
    val most = 999999999999999999L
    val exact = 1L << 52
    val column = decimal8(3)(1500L, -1500L, exact - 1, exact, exact + 1, -exact, most, -most, null)
    assert(
      column.results(DoubleType) === slots(
        1.5, -1.5, 4503599627370.495, 4503599627370.496, 4503599627370.497, -4503599627370.496,
        999999999999999.999, -999999999999999.999, null
      )
    )
  }

  test("to bigint: digits behind the point are cut off") {
    assert(
      decimal4(2)(199, -199, 99, -99, 100, null).results(LongType) ===
        slots(1L, -1L, 0L, 0L, 1L, null)
    )
    assert(decimal8(0)(999999999999999999L).results(LongType) === slots(999999999999999999L))
  }

  test("numbers outside of the range of decimal4 and decimal8 are refused") {
    val targets = Seq(DecimalType(18, 2), DoubleType, LongType)
    def reason(column: CastColumn, target: DataType): String =
      intercept[VariantShreddedException](column.results(target)).reason
    targets.foreach { target =>
      assert(decimal4(2)(999999999, -999999999).results(target).size === 2)
      Seq(1000000000, -1000000000, Int.MaxValue, Int.MinValue).foreach { unscaled =>
        assert(
          reason(decimal4(2)(1, null, unscaled), target) ===
            s"'typed_value' holds $unscaled, which is out of the range of decimal4."
        )
      }
      assert(decimal8(2)(999999999999999999L).results(target).size === 1)
      Seq(1000000000000000000L, -1000000000000000000L, Long.MinValue).foreach { unscaled =>
        assert(
          reason(decimal8(2)(1L, null, unscaled), target) ===
            s"'typed_value' holds $unscaled, which is out of the range of decimal8."
        )
      }
    }
  }

  test("random numbers: every cast gives what BigDecimal gives") {
    (0 until 300).foreach { seed =>
      val rng = new Random(seed)
      val isInt = rng.nextBoolean()
      val digits = if (isInt) 9 else 18
      val scale = rng.nextInt(digits + 1)
      val numbers = Seq.fill(20) {
        BigDecimal.valueOf(rng.nextLong() % math.pow(10, 1.0 + rng.nextInt(digits)).toLong, scale)
      }
      val unscaled = numbers.map { number =>
        val long = number.unscaledValue.longValue
        if (isInt) Int.box(long.toInt) else Long.box(long)
      }
      val column = if (isInt) decimal4(scale)(unscaled: _*) else decimal8(scale)(unscaled: _*)
      val precision = math.max(1, scale + rng.nextInt(19 - scale))
      val target = DecimalType(precision, scale + rng.nextInt(precision - scale + 1))
      val clue = s"seed $seed, scale $scale to $target: $numbers"
      val rescaled = numbers.map { number =>
        val result = number.setScale(target.scale, RoundingMode.UNNECESSARY)
        if (result.unscaledValue.abs.toString.length > target.precision) Failed else result
      }
      assert(column.results(target) === rescaled, clue)
      assert(column.results(DoubleType) === numbers.map(_.doubleValue), clue)
      assert(column.results(LongType) === numbers.map(_.toBigInteger.longValue), clue)
    }
  }
}
