package io.github.variantshredded.read.cast

import scala.util.Random

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.cast.CastColumn._
import io.github.variantshredded.shredding.ShreddedType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{FLOAT, INT32}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Each cast from integral and floating columns. */
class NumericCastsSuite extends AnyFunSuite {

  private val someInts = Seq(0, 1, -1, Int.MaxValue, Int.MinValue)

  private val someLongs = Seq(0L, 1L, -1L, Long.MaxValue, Long.MinValue, (1L << 53) + 1)

  test("int to bigint") {
    val column = ints(slots(someInts: _*) :+ null: _*)
    assert(column.castTo(LongType).exists(_.isInstanceOf[NumericCasts.IntToLong]))
    assert(column.results(LongType) === slots(someInts.map(_.toLong): _*) :+ null)
  }

  test("int to double") {
    val column = ints(slots(someInts: _*) :+ null: _*)
    assert(column.castTo(DoubleType).exists(_.isInstanceOf[NumericCasts.IntToDouble]))
    assert(column.results(DoubleType) === slots(someInts.map(_.toDouble): _*) :+ null)
  }

  test("bigint to double rounds to the nearest double") {
    val column = longs(slots(someLongs: _*) :+ null: _*)
    assert(column.castTo(DoubleType).exists(_.isInstanceOf[NumericCasts.LongToDouble]))
    assert(column.results(DoubleType) === slots(someLongs.map(_.toDouble): _*) :+ null)
  }

  test("float to double keeps NaN, infinity and -0.0") {
    val floats = Seq(0f, -0f, 1.5f, 0.1f, Float.NaN, Float.PositiveInfinity, Float.MinPositiveValue)
    val column = new CastColumn(ShreddedType.FloatType, FLOAT, slots(floats: _*) :+ null)
    val bits = column.results(DoubleType).map {
      case number: Double => java.lang.Double.doubleToLongBits(number)
      case other          => other
    }
    val expected = floats.map(float => java.lang.Double.doubleToLongBits(float.toDouble))
    assert(bits === slots(expected: _*) :+ null)
  }

  test("to a narrower integer: the least and the greatest number fit, those beyond fail") {
    assert(
      ints(-129, -128, null, 127, 128).results(ByteType) ===
        slots(Failed, -128.toByte, null, 127.toByte, Failed)
    )
    assert(
      ints(-32769, -32768, null, 32767, 32768).results(ShortType) ===
        slots(Failed, Short.MinValue, null, Short.MaxValue, Failed)
    )
    assert(
      longs(Int.MinValue - 1L, Int.MinValue.toLong, null, Int.MaxValue.toLong, 1L << 31)
        .results(IntegerType) === slots(Failed, Int.MinValue, null, Int.MaxValue, Failed)
    )
    assert(
      longs(Long.MinValue, 256L, -128L, 127L, Long.MaxValue).results(ByteType) ===
        slots(Failed, Failed, -128.toByte, 127.toByte, Failed)
    )
  }

  test("seconds to timestamp: the numbers whose microseconds fit a long") {
    // 9223372036854.775807 seconds
    val most = 9223372036854L
    val seconds = Seq(0L, 1L, -1L, most, most + 1, -most, -most - 1, Long.MaxValue, Long.MinValue)
    assert(
      longs(slots(seconds: _*) :+ null: _*).results(TimestampType) === slots(
        0L,
        1000000L,
        -1000000L,
        most * 1000000,
        Failed,
        -most * 1000000,
        Failed,
        Failed,
        Failed,
        null
      )
    )
    assert(
      ints(Int.MaxValue, null, Int.MinValue).results(TimestampType) ===
        slots(Int.MaxValue * 1000000L, null, Int.MinValue * 1000000L)
    )
  }

  test("random numbers: as with numbers of any size") {
    val targets = Seq(ByteType -> 8, ShortType -> 16, IntegerType -> 32)
    (0 until 100).foreach { seed =>
      val rng = new Random(seed)
      val numbers = Seq.fill(50)(rng.nextLong() >> rng.nextInt(64))
      targets.foreach { case (target, bits) =>
        val expected = numbers.map { number =>
          if (BigInt(number).bitLength < bits) BigInt(number) else Failed
        }
        val found = longs(numbers: _*).results(target).map {
          case number: Byte  => BigInt(number.toInt)
          case number: Short => BigInt(number.toInt)
          case number: Int   => BigInt(number)
          case other         => other
        }
        assert(found === expected, s"seed $seed, $target")
      }
      val micros = numbers.map { number =>
        val micros = BigInt(number) * 1000000
        if (micros.isValidLong) micros.toLong else Failed
      }
      assert(longs(numbers: _*).results(TimestampType) === micros, s"seed $seed")
    }
  }

  /** The int8 and int16 columns of Parquet are stored as int32. */
  private def small(shreddedType: ShreddedType, values: Any*): CastColumn =
    new CastColumn(shreddedType, INT32, values)

  test("int8 and int16 columns are cast if their numbers are in the range of the type") {
    assert(
      small(ShreddedType.Int8, -128, null, 127).results(IntegerType) === slots(-128, null, 127)
    )
    assert(small(ShreddedType.Int8, -128, null, 127).results(LongType) === slots(-128L, null, 127L))
    assert(
      small(ShreddedType.Int16, -32768, 32767).results(DoubleType) === slots(-32768.0, 32767.0)
    )
    assert(small(ShreddedType.Int16, -128, 128).results(ByteType) === slots(-128.toByte, Failed))
  }

  test("int8 and int16 columns with a number outside of the range of the type are refused") {
    Seq(
      (ShreddedType.Int8, 128, "int8"),
      (ShreddedType.Int8, -129, "int8"),
      (ShreddedType.Int16, 32768, "int16"),
      (ShreddedType.Int16, -32769, "int16")
    ).foreach { case (shreddedType, number, name) =>
      Seq(IntegerType, LongType, DoubleType, StringType).foreach { target =>
        val error =
          intercept[VariantShreddedException](small(shreddedType, 1, null, number).results(target))
        assert(
          error.reason === s"'typed_value' holds $number, which is out of the range of $name."
        )
      }
    }
  }
}
