package io.github.variantshredded.read.cast

import io.github.variantshredded.read.cast.CastColumn._
import io.github.variantshredded.shredding.ShreddedType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** Which cast is taken for a pair of types, and what Spark's compiled casts give. */
class TypedCastSuite extends AnyFunSuite {

  /** A column of each type with some values, and the type that it has in Spark. */
  private val columns: Seq[(ShreddedType, PrimitiveTypeName, DataType, Seq[Any])] = Seq(
    (ShreddedType.BooleanType, BOOLEAN, BooleanType, Seq(true, null, false)),
    (ShreddedType.Int32, INT32, IntegerType, Seq(5, null, -5)),
    (ShreddedType.Int64, INT64, LongType, Seq(5L, null, -5L)),
    (ShreddedType.FloatType, FLOAT, FloatType, Seq(1.5f, null, -0f)),
    (ShreddedType.DoubleType, DOUBLE, DoubleType, Seq(1.5, null, -0.0)),
    (ShreddedType.Date, INT32, DateType, Seq(19000, null, -1)),
    (ShreddedType.TimestampMicros, INT64, TimestampType, Seq(1L, null, -1L)),
    (ShreddedType.TimestampNtzMicros, INT64, TimestampNTZType, Seq(1L, null, -1L)),
    (ShreddedType.Binary, BINARY, BinaryType, Seq(Array[Byte](1, 0), null, Array.empty[Byte])),
    (ShreddedType.StringType, BINARY, StringType, Seq("a\u20ac", null, ""))
  )

  columns.foreach { case (shreddedType, physical, own, values) =>
    test(s"a $shreddedType column is its own cast to ${own.sql}, and its values are copied") {
      val column = new CastColumn(shreddedType, physical, values)
      val cast = column.castTo(own).get
      assert(cast.isIdentity)
      val expected = values.map {
        case bytes: Array[Byte] => bytes.toVector
        case other              => other
      }
      assert(column.results(cast, own) === expected)
      columns.map(_._3).filterNot(_ == own).foreach { other =>
        assert(column.castTo(other).forall(!_.isIdentity), s"to $other")
      }
    }
  }

  test("types that Spark's Variant does not know, and decimal16, are left to Spark") {
    Seq(
      ShreddedType.Time -> INT64,
      ShreddedType.TimestampNanos -> INT64,
      ShreddedType.TimestampNtzNanos -> INT64,
      ShreddedType.Uuid -> FIXED_LEN_BYTE_ARRAY,
      ShreddedType.DecimalOf(38, 2) -> FIXED_LEN_BYTE_ARRAY
    ).foreach { case (shreddedType, physical) =>
      Seq(StringType, LongType, DecimalType(38, 2)).foreach { target =>
        assert(new CastColumn(shreddedType, physical, Nil).castTo(target).isEmpty)
      }
    }
  }

  test("between types without a cast every value fails, and nulls stay null") {
    val flags = new CastColumn(ShreddedType.BooleanType, BOOLEAN, Seq(true, null, false))
    assert(flags.results(DateType) === slots(Failed, null, Failed))
    val days = new CastColumn(ShreddedType.Date, INT32, Seq(1, null))
    assert(days.results(LongType) === slots(Failed, null))
    assert(ints(null, null).results(DateType) === slots(null, null))
  }

  private def strings(values: Any*): CastColumn =
    new CastColumn(ShreddedType.StringType, BINARY, values)

  test("boolean to string and to numbers") {
    val flags = new CastColumn(ShreddedType.BooleanType, BOOLEAN, Seq(true, null, false))
    assert(flags.results(StringType) === slots("true", null, "false"))
    assert(flags.results(IntegerType) === slots(1, null, 0))
    assert(flags.results(ByteType) === slots(1.toByte, null, 0.toByte))
    assert(flags.results(ShortType) === slots(1.toShort, null, 0.toShort))
    assert(flags.results(FloatType) === slots(1f, null, 0f))
  }

  test("integers to string, boolean, float and decimal") {
    assert(ints(-7, null).results(StringType) === slots("-7", null))
    assert(longs(Long.MinValue).results(StringType) === slots("-9223372036854775808"))
    assert(ints(0, 3).results(BooleanType) === slots(false, true))
    assert(longs((1L << 24) + 1).results(FloatType) === slots(16777216f))
    assert(
      ints(99, 100, null).results(DecimalType(3, 1)) ===
        slots(new java.math.BigDecimal("99.0"), Failed, null)
    )
    assert(
      longs(Long.MaxValue).results(DecimalType(38, 0)) ===
        slots(new java.math.BigDecimal(Long.MaxValue))
    )
  }

  test("double to integers: digits behind the point are cut off, the rest has to fit") {
    val doubles =
      new CastColumn(ShreddedType.DoubleType, DOUBLE, Seq(1.9, -1.9, 128.0, Double.NaN, null))
    assert(doubles.results(ByteType) === slots(1.toByte, (-1).toByte, Failed, Failed, null))
    assert(doubles.results(IntegerType) === slots(1, -1, 128, Failed, null))
    assert(doubles.results(LongType) === slots(1L, -1L, 128L, Failed, null))
  }

  test("strings to numbers, booleans and dates") {
    assert(
      strings(" 12 ", "1.5", "x", null).results(IntegerType) === slots(12, Failed, Failed, null)
    )
    assert(
      strings("1e3", "NaN", "").results(DoubleType).map(_.toString) ===
        slots("1000.0", "NaN", "Failed")
    )
    assert(strings("true", "no", "perhaps").results(BooleanType) === slots(true, false, Failed))
    assert(strings("1970-01-02", "1970-02-30").results(DateType) === slots(1, Failed))
    assert(strings("ab").results(BinaryType) === slots(Vector[Byte]('a', 'b')))
  }

  test("dates and timestamps by the time zone") {
    val hour = 3600L * 1000 * 1000
    val days = new CastColumn(ShreddedType.Date, INT32, Seq(0, null))
    assert(days.results(TimestampType, "UTC") === slots(0L, null))
    assert(days.results(TimestampType, "Asia/Tokyo") === slots(-9 * hour, null))
    assert(days.results(StringType, "Asia/Tokyo") === slots("1970-01-01", null))
    val instants = new CastColumn(ShreddedType.TimestampMicros, INT64, Seq(20 * hour, null))
    assert(instants.results(StringType, "UTC") === slots("1970-01-01 20:00:00", null))
    assert(instants.results(StringType, "Asia/Tokyo") === slots("1970-01-02 05:00:00", null))
    assert(instants.results(DateType, "Asia/Tokyo") === slots(1, null))
    assert(instants.results(TimestampNTZType, "Asia/Tokyo") === slots(29 * hour, null))
    val locals = new CastColumn(ShreddedType.TimestampNtzMicros, INT64, Seq(20 * hour, null))
    assert(locals.results(TimestampType, "Asia/Tokyo") === slots(11 * hour, null))
    assert(locals.results(StringType, "Asia/Tokyo") === slots("1970-01-01 20:00:00", null))
  }

  test("binary to string") {
    val bytes = new CastColumn(ShreddedType.Binary, BINARY, Seq("a\u20ac".getBytes("UTF-8"), null))
    assert(bytes.results(StringType) === slots("a\u20ac", null))
  }
}
