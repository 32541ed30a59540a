package io.github.variantshredded.read.skip

import java.math.{BigDecimal, BigInteger}

import scala.util.Random

import org.apache.parquet.schema.{PrimitiveType, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.scalatest.funsuite.AnyFunSuite

/** The one form in which a column can store a decimal. */
class DecimalFormSuite extends AnyFunSuite {

  private def column(physical: PrimitiveTypeName, size: Int = 0): PrimitiveType =
    Types.optional(physical).length(size).named("d")

  private val int32 = column(INT32)
  private val int64 = column(INT64)
  private val fixed3 = column(FIXED_LEN_BYTE_ARRAY, 3)

  /** The stored value; None if the column cannot hold the number. */
  private def stored(physical: PrimitiveType, scale: Int, number: String): Option[Any] =
    DecimalForm.of(physical, scale, new BigDecimal(number)) match {
      case Some(StoredLiteral.Is(bytes: Array[Byte])) => Some(bytes.toSeq)
      case Some(StoredLiteral.Is(value))              => Some(value)
      case Some(StoredLiteral.Nothing)                => None
      case other                                      => fail(s"$number in $physical: $other")
    }

  test("integer columns store the number without its point") {
    assert(stored(int32, 2, "1.5") === Some(150))
    assert(stored(int32, 2, "-1.50") === Some(-150))
    assert(stored(int64, 3, "-1.5") === Some(-1500L))
    assert(stored(int64, 0, "1E+3") === Some(1000L))
  }

  test("no column stores a number with more digits than its scale") {
    Seq(int32, int64, fixed3).foreach { physical =>
      assert(stored(physical, 1, "1.25") === None)
      assert(stored(physical, 1, "1.20").isDefined)
    }
  }

  test("an integer column stores the numbers that fit its width") {
    assert(stored(int32, 0, "2147483647") === Some(Int.MaxValue))
    assert(stored(int32, 0, "-2147483648") === Some(Int.MinValue))
    assert(stored(int32, 0, "2147483648") === None)
    assert(stored(int32, 0, "-2147483649") === None)
    assert(stored(int64, 0, "9223372036854775807") === Some(Long.MaxValue))
    assert(stored(int64, 0, "-9223372036854775808") === Some(Long.MinValue))
    assert(stored(int64, 0, "9223372036854775808") === None)
    assert(stored(int64, 0, "-9223372036854775809") === None)
  }

  test("a column of fixed length stores big-endian bytes, filled up with the sign") {
    assert(stored(fixed3, 0, "0") === Some(Seq[Byte](0, 0, 0)))
    assert(stored(fixed3, 0, "258") === Some(Seq[Byte](0, 1, 2)))
    assert(stored(fixed3, 0, "-1") === Some(Seq[Byte](-1, -1, -1)))
    assert(stored(fixed3, 1, "-25.6") === Some(Seq[Byte](-1, -1, 0)))
    assert(stored(fixed3, 0, "8388607") === Some(Seq[Byte](127, -1, -1)))
    assert(stored(fixed3, 0, "-8388608") === Some(Seq[Byte](-128, 0, 0)))
    assert(stored(fixed3, 0, "8388608") === None)
    assert(stored(fixed3, 0, "-8388609") === None)
  }

  test("in a column of variable length a number has many forms") {
    assert(DecimalForm.of(column(BINARY), 0, new BigDecimal(1)) === None)
  }

  test("random numbers: what is stored is the number, and no other number is refused") {
    (0 until 2000).foreach { seed =>
      val rng = new Random(seed)
      val scale = rng.nextInt(6)
      val size = 1 + rng.nextInt(16)
      val bits = 1 + rng.nextInt(130)
      val unscaled = new BigInteger(bits, rng.self)
      val number = new BigDecimal(if (rng.nextBoolean()) unscaled.negate else unscaled, scale)
      val limits = Seq(int32 -> 4, int64 -> 8, column(FIXED_LEN_BYTE_ARRAY, size) -> size)
      limits.foreach { case (physical, bytes) =>
        val least = BigInteger.TWO.pow(8 * bytes - 1).negate
        val fits = number.unscaledValue.compareTo(least) >= 0 &&
          number.unscaledValue.negate.compareTo(least) > 0
        val clue = s"seed $seed: $number in $bytes bytes"
        DecimalForm.of(physical, scale, number) match {
          case Some(StoredLiteral.Is(value)) =>
            val read = value match {
              case int: Int           => BigInteger.valueOf(int.toLong)
              case long: Long         => BigInteger.valueOf(long)
              case found: Array[Byte] =>
                assert(found.length === bytes, clue)
                new BigInteger(found)
              case other => fail(s"$clue: $other")
            }
            assert(fits && new BigDecimal(read, scale) == number, clue)
          case Some(StoredLiteral.Nothing) => assert(!fits, clue)
          case other                       => fail(s"$clue: $other")
        }
      }
    }
  }
}
