package io.github.variantshredded.read.skip

import java.math.BigInteger
import java.nio.{ByteBuffer, ByteOrder}

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.predicate.{Comparison, ValueTest}
import io.github.variantshredded.predicate.ValueTest._
import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.layout.SpecLayoutReader
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.{MessageTypeParser, PrimitiveType}
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.internal.LegacyBehaviorPolicy.{CORRECTED, EXCEPTION, LEGACY}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Tests of columns with statistics made by hand. */
class StoredValuesSuite extends AnyFunSuite {

  private def int(number: Int) =
    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(number).array
  private def long(number: Long) =
    ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array
  private def double(number: Double) = long(java.lang.Double.doubleToRawLongBits(number))
  private def decimal(number: Long) = BigInteger.valueOf(number).toByteArray
  private def bytes(text: String) = text.getBytes("UTF-8")

  private val values = 100L

  private def range(
      physical: PrimitiveType,
      min: Array[Byte],
      max: Array[Byte],
      nulls: Long
  ): LeafRange = {
    val builder = Statistics.getBuilderForReading(physical).withMin(min).withMax(max)
    LeafRange.of((if (nulls < 0) builder else builder.withNumNulls(nulls)).build(), values)
  }

  /** An ordinary column with statistics, read as a type. */
  private case class Column(
      leaf: String,
      ddl: String,
      min: Array[Byte],
      max: Array[Byte],
      nulls: Long = 0,
      rebase: LegacyBehaviorPolicy.Value = CORRECTED
  ) {
    private val physical =
      MessageTypeParser
        .parseMessageType(s"message m { optional $leaf; }")
        .getType(0)
        .asPrimitiveType
    private val target = DataType.fromDDL(ddl)

    def mayBe(test: ValueTest): Boolean = {
      val stored = ColumnValues.of(physical, target, new CalendarRebase(rebase))
      new LeafTest.Passes(Seq("c"), stored, test, target, orNull = false)
        .mayBeTrue(range(physical, min, max, nulls))
    }
  }

  /** A field of a Variant with statistics of its columns, cast to a type. */
  private case class Field(
      typed: String,
      ddl: String,
      min: Array[Byte],
      max: Array[Byte],
      nulls: Long = 0,
      strict: Boolean = true,
      residual: LeafRange = LeafRange.AllNull
  ) {
    private val schema = MessageTypeParser.parseMessageType(
      s"""message m { optional group v { required binary metadata; optional binary value;
         |  optional group typed_value { required group a { optional binary value;
         |    optional $typed; } } } }""".stripMargin
    )
    private val group = SpecLayoutReader.read(schema, Seq("v"), 100)
    private val rules = FileRows.readSettings(strict = true).variants

    def mayBe(test: ValueTest): Boolean = {
      val what = ExtractionResult.Value(DataType.fromDDL(ddl), strict, Some("UTC"))
      val conditions = new VariantPredicates(group, rules, CalendarRebase.None)
      val condition =
        conditions.ofValue(ScanExtraction(Seq("v"), Seq(PathStep.Field("a")), what), test)
      condition == LeafPredicate.Always || condition.tests.exists { test =>
        val physical = schema.getColumnDescription(test.leaf.toArray).getPrimitiveType
        test.mayBeTrue(
          if (test.leaf.last == "value") residual else range(physical, min, max, nulls)
        )
      }
    }
  }

  private def above(literal: Any) = Compare(Comparison.Greater, literal)
  private def below(literal: Any) = Compare(Comparison.Less, literal)

  test("numbers of other widths") {
    val ints = Column("int32 c", "bigint", int(5), int(9))
    assert(
      ints.mayBe(above(8L)) && !ints.mayBe(above(9L)) && !ints.mayBe(OneOf(Vector(4L, 1L << 40)))
    )
    assert(!Column("int32 c", "double", int(5), int(9)).mayBe(below(5.0)))
    val decimals = Column("int64 c (DECIMAL(18,2))", "decimal(20,3)", long(-150), long(150))
    assert(decimals.mayBe(OneOf(Vector(Decimal("1.500")))))
    assert(!decimals.mayBe(OneOf(Vector(Decimal("1.501")))))
    // Spark cuts off the upper bytes.
    assert(!Column("int32 c", "tinyint", int(5), int(9)).mayBe(above(9.toByte)))
    assert(Column("int32 c", "tinyint", int(5), int(300)).mayBe(below(3.toByte)))
  }

  test("types that are not understood keep everything but nulls") {
    Seq(
      ("int32 c (INTEGER(32,false))", "bigint", int(1), int(2)),
      ("int64 c (INTEGER(64,false))", "decimal(20,0)", long(1), long(2)),
      ("int64 c (TIMESTAMP(MICROS,false))", "timestamp", long(1), long(2)),
      ("int64 c (TIMESTAMP(MICROS,true))", "timestamp_ntz", long(1), long(2)),
      ("int64 c (TIMESTAMP(NANOS,true))", "bigint", long(1), long(2)),
      ("fixed_len_byte_array(4) c", "binary", int(1), int(2))
    ).foreach { case (leaf, ddl, min, max) =>
      assert(Column(leaf, ddl, min, max).mayBe(OneOf(Vector())), leaf)
      assert(!Column(leaf, ddl, null, null, nulls = values).mayBe(ValueTest.IsNotNull), leaf)
      assert(Column(leaf, ddl, null, null, nulls = values).mayBe(ValueTest.IsNull), leaf)
    }
  }

  test("without bounds, or without a count of nulls") {
    val none = Column("int32 c", "int", null, null, nulls = 3)
    assert(none.mayBe(OneOf(Vector(1))) && none.mayBe(ValueTest.IsNull))
    assert(!Column("int32 c", "int", int(1), int(2)).mayBe(ValueTest.IsNull))
    assert(Column("int32 c", "int", int(1), int(2), nulls = -1).mayBe(ValueTest.IsNull))
    assert(Column("int32 c", "int", null, null, nulls = -1).mayBe(ValueTest.IsNotNull))
    assert(Column("int32 c", "int", null, null, nulls = 99).mayBe(ValueTest.IsNotNull))
    // More nulls than values: nothing of it can be believed.
    assert(Column("int32 c", "int", null, null, nulls = 101).mayBe(ValueTest.IsNotNull))
    assert(LeafRange.of(null: Statistics[_], values) === LeafRange.Unknown)
  }

  test("bounds that cannot be values are none") {
    val physical = "fixed_len_byte_array(5) c (DECIMAL(10,2))"
    val right = Array[Byte](0, 0, 0, 1, 0)
    assert(!Column(physical, "decimal(10,2)", right, right).mayBe(OneOf(Vector(Decimal("9.00")))))
    Seq(Array[Byte](1), Array.fill[Byte](9)(1), Array.emptyByteArray).foreach { wrong =>
      assert(Column(physical, "decimal(10,2)", right, wrong).mayBe(OneOf(Vector(Decimal("9.00")))))
    }
    // More digits than the column has, and more than any has.
    val long = Column("binary c (DECIMAL(10,2))", "decimal(10,2)", decimal(1), decimal(1L << 50))
    assert(long.mayBe(OneOf(Vector(Decimal("-9.00")))))
    val longer =
      Column("binary c (DECIMAL(10,2))", "decimal(10,2)", decimal(1), Array.fill[Byte](1000)(1))
    assert(longer.mayBe(OneOf(Vector(Decimal("-9.00")))))
    val empty =
      Column("binary c (DECIMAL(10,2))", "decimal(10,2)", Array.emptyByteArray, decimal(5))
    assert(empty.mayBe(OneOf(Vector(Decimal("-9.00")))))
    assert(Column("int32 c", "int", int(9), int(5)).mayBe(OneOf(Vector(1))))
    assert(PlainValue.decode(longType, Array[Byte](1, 2, 3)) === None)
    assert(PlainValue.decode(longType, Array.fill[Byte](9)(1)) === None)
    assert(PlainValue.decode(longType, null) === None)
    assert(PlainValue.decode(longType, long3) === Some(3L))
  }

  private lazy val long3 = long(3)
  private lazy val longType =
    MessageTypeParser.parseMessageType("message m { optional int64 c; }").getType(0).asPrimitiveType

  test("bounds that contradict each other are none, even if a cast makes them equal") {
    val cents = "int32 typed_value (DECIMAL(9,2))"
    assert(!Field(cents, "int", int(510), int(570), strict = false).mayBe(OneOf(Vector(9))))
    assert(Field(cents, "int", int(570), int(510), strict = false).mayBe(OneOf(Vector(9))))
    def doubles(min: Double, max: Double) =
      Field("double typed_value", "float", double(min), double(max)).mayBe(OneOf(Vector(0.5f)))
    assert(!doubles(1.0, 1.0 + 1e-12) && doubles(1.0 + 1e-12, 1.0))
    // Decimals in bytes are signed numbers, strings are not.
    val bytesOf = "binary typed_value (DECIMAL(20,2))"
    def decimals(min: Long, max: Long) =
      Field(bytesOf, "int", decimal(min), decimal(max), strict = false).mayBe(OneOf(Vector(9)))
    assert(!decimals(-570, 510) && !decimals(-570, -510))
    assert(decimals(510, -570) && decimals(-510, -570) && decimals(570, 510))
    val texts = "binary typed_value (STRING)"
    val isB = OneOf(Vector(UTF8String.fromString("b")))
    assert(!Field(texts, "string", bytes("c"), bytes("é")).mayBe(isB))
    assert(Field(texts, "string", bytes("é"), bytes("c")).mayBe(isB))
  }

  test("NaN may be left out of bounds") {
    val column = Column("double c", "double", double(1.0), double(2.0))
    val field = Field("double typed_value", "double", double(1.0), double(2.0))
    val asFloat = Field("double typed_value", "float", double(1.0), double(2.0))
    Seq[ValueTest => Boolean](column.mayBe, field.mayBe).foreach { mayBe =>
      assert(mayBe(above(2.0)) && mayBe(above(Double.MaxValue)) && mayBe(ValueTest.IsNaN))
      assert(mayBe(OneOf(Vector(Double.NaN))) && mayBe(Compare(Comparison.GreaterOrEqual, 9.0)))
      assert(!mayBe(below(1.0)) && !mayBe(OneOf(Vector(0.5))))
      assert(mayBe(NoneOf(Vector(1.0))))
    }
    assert(asFloat.mayBe(above(2.0f)) && !asFloat.mayBe(below(1.0f)))
    assert(Column("double c", "double", double(1), double(1)).mayBe(NoneOf(Vector(1.0))))
    // Integers have none.
    val integer = Field("int64 typed_value", "double", long(1), long(2))
    assert(!integer.mayBe(above(2.0)) && !integer.mayBe(ValueTest.IsNaN))
    val nan = Column("double c", "double", null, null)
    assert(nan.mayBe(below(1.0)))
    // As a column index may say it; parquet-java leaves such statistics out.
    val stored = ColumnValues.of(doubleType, DoubleType, CalendarRebase.None)
    val bad =
      LeafRange(allNull = false, noNull = true, double(Double.NaN), double(3), exact = false)
    assert(
      new LeafTest.Passes(Seq("c"), stored, below(1.0), DoubleType, orNull = false).mayBeTrue(bad)
    )
  }

  private lazy val doubleType =
    MessageTypeParser
      .parseMessageType("message m { optional double c; }")
      .getType(0)
      .asPrimitiveType

  test("-0.0 and 0.0 are equal") {
    // parquet-java widens such bounds as it reads them; others may not be as careful.
    val stored = ColumnValues.of(doubleType, DoubleType, CalendarRebase.None)
    def mayBe(test: ValueTest, min: Double, max: Double) =
      new LeafTest.Passes(Seq("c"), stored, test, DoubleType, orNull = false).mayBeTrue(
        LeafRange(allNull = false, noNull = true, double(min), double(max), exact = false)
      )
    assert(mayBe(OneOf(Vector(-0.0)), 0.0, 5.0) && mayBe(OneOf(Vector(0.0)), -5.0, -0.0))
    assert(!mayBe(below(-0.0), 0.0, 5.0))
  }

  test("bounds of strings and binaries are not values") {
    def text(text: String) = UTF8String.fromString(text)
    val strings = Column("binary c (STRING)", "string", bytes("ab"), bytes("ab"))
    assert(strings.mayBe(NoneOf(Vector(text("ab")))) && !strings.mayBe(OneOf(Vector(text("b")))))
    assert(
      Column("binary c", "binary", bytes("ab"), bytes("ab")).mayBe(NoneOf(Vector(bytes("ab"))))
    )
    val field = Field("binary typed_value (STRING)", "string", bytes("ab"), bytes("ab"))
    assert(field.mayBe(NoneOf(Vector(text("ab")))) && !field.mayBe(OneOf(Vector(text("b")))))
    assert(!Field("int32 typed_value", "int", int(7), int(7)).mayBe(NoneOf(Vector(7))))
    // Cut within a character.
    val cut = bytes("\u20ac").take(2)
    val upper = Array[Byte](0xe2.toByte, 0x83.toByte)
    assert(Column("binary c (STRING)", "string", cut, upper).mayBe(OneOf(Vector(text("\u20ac")))))
    // Bytes are unsigned.
    assert(!Column("binary c (STRING)", "string", cut, upper).mayBe(OneOf(Vector(text("z")))))
  }

  test("casts that fail within the bounds must be seen to fail") {
    Seq(true, false).foreach { strict =>
      val fits = Field("int64 typed_value", "int", long(5), long(9), strict = strict)
      assert(!fits.mayBe(above(9)) && !fits.mayBe(ValueTest.IsNull))
      val overflows = Field("int64 typed_value", "int", long(5), long(1L << 40), strict = strict)
      assert(overflows.mayBe(below(5)) && overflows.mayBe(ValueTest.IsNull))
      val narrow = Field("int64 typed_value", "decimal(3,1)", long(5), long(99), strict = strict)
      assert(!narrow.mayBe(above(Decimal("99.0"))))
      val narrower = Field("int64 typed_value", "decimal(3,1)", long(5), long(100), strict = strict)
      assert(narrower.mayBe(below(Decimal("1.0"))))
      // No bounds: the cast may fail where it is not one that never does.
      val unknown = Field("int64 typed_value", "int", null, null, strict = strict)
      assert(unknown.mayBe(ValueTest.IsNull))
      assert(!Field("int32 typed_value", "bigint", null, null).mayBe(ValueTest.IsNull))
    }
  }

  test("casts that do not keep the order are not followed") {
    Seq(
      ("int64 typed_value", "string", long(1), long(2)),
      ("int64 typed_value", "timestamp", long(1), long(2)),
      ("int64 typed_value", "boolean", long(1), long(2)),
      ("double typed_value", "bigint", double(1), double(2)),
      ("double typed_value", "decimal(10,2)", double(1), double(2)),
      ("binary typed_value (STRING)", "bigint", bytes("1"), bytes("2")),
      ("binary typed_value (STRING)", "binary", bytes("1"), bytes("2")),
      ("boolean typed_value", "int", Array[Byte](0), Array[Byte](1)),
      ("int32 typed_value (DATE)", "timestamp", int(1), int(2)),
      ("int64 typed_value (TIMESTAMP(MICROS,true))", "date", long(1), long(2)),
      ("int64 typed_value (TIMESTAMP(MICROS,true))", "timestamp_ntz", long(1), long(2)),
      ("int64 typed_value (TIMESTAMP(MICROS,false))", "timestamp", long(1), long(2)),
      ("int64 typed_value (TIMESTAMP(NANOS,true))", "timestamp", long(1), long(2))
    ).foreach { case (typed, ddl, min, max) =>
      assert(Field(typed, ddl, min, max).mayBe(OneOf(Vector())), s"$typed to $ddl")
      assert(!Field(typed, ddl, null, null, nulls = values).mayBe(ValueTest.IsNotNull))
    }
    assert(!Field("int32 typed_value (DATE)", "date", int(1), int(2)).mayBe(above(2)))
  }

  test("numbers that break the range of their column say nothing") {
    val int8 = "int32 typed_value (INTEGER(8,true))"
    assert(!Field(int8, "int", int(1), int(127)).mayBe(below(1)))
    assert(Field(int8, "int", int(1), int(128)).mayBe(below(1)))
    val decimal4 = "int32 typed_value (DECIMAL(5,2))"
    assert(!Field(decimal4, "decimal(9,2)", int(1), int(99999)).mayBe(below(Decimal("0.01"))))
    assert(Field(decimal4, "decimal(9,2)", int(1), int(1000000000)).mayBe(below(Decimal("0.01"))))
  }

  test("anything may be in a residual that is neither null nor Variant nulls") {
    def field(residual: LeafRange) =
      Field("int64 typed_value", "bigint", long(5), long(9), residual = residual)
    val nothing = Array[Byte](0)
    def bounded(min: Array[Byte], max: Array[Byte]) =
      LeafRange(allNull = false, noNull = false, min, max, exact = false)
    assert(!field(LeafRange.AllNull).mayBe(above(9L)))
    assert(!field(bounded(nothing, nothing)).mayBe(above(9L)))
    assert(field(bounded(nothing, Array[Byte](0, 1))).mayBe(above(9L)))
    assert(field(bounded(nothing, Array[Byte](12))).mayBe(above(9L)))
    assert(field(LeafRange.Unknown).mayBe(above(9L)))
  }

  test("dates and timestamps that may have been written by the old calendar") {
    val oldDay = -200000
    val recent = 10000
    def days(rebase: LegacyBehaviorPolicy.Value, min: Int) =
      Column("int32 c (DATE)", "date", int(min), int(recent), rebase = rebase).mayBe(above(recent))
    val second = 1000000L
    def times(rebase: LegacyBehaviorPolicy.Value, ddl: String, min: Long) = Column(
      s"int64 c (TIMESTAMP(MICROS,${ddl == "timestamp"}))",
      ddl,
      long(min * second),
      long(recent * second),
      rebase = rebase
    ).mayBe(above(recent * second))
    Seq(LEGACY, EXCEPTION).foreach { rebase =>
      assert(days(rebase, oldDay) && !days(rebase, 0))
      assert(times(rebase, "timestamp", -5000000000L) && !times(rebase, "timestamp", 0))
      assert(!times(rebase, "timestamp_ntz", -5000000000L))
    }
    assert(!days(CORRECTED, oldDay) && !times(CORRECTED, "timestamp", -5000000000L))
  }

  test("milliseconds") {
    def millis(max: Long) =
      Column("int64 c (TIMESTAMP(MILLIS,true))", "timestamp", long(5), long(max))
    assert(!millis(9).mayBe(above(9000L)) && millis(9).mayBe(above(8999L)))
    // More microseconds than fit: to read it raises.
    assert(millis(Long.MaxValue).mayBe(below(5000L)))
  }
}
