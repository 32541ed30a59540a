package io.github.variantshredded.read.skip

import io.github.variantshredded.predicate.{Comparison, ValueTest}
import io.github.variantshredded.predicate.ValueTest._
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, EvalMode}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class TestEvaluatorSuite extends AnyFunSuite {

  private def within(min: Any, max: Any, exact: Boolean = true): PossibleValues =
    PossibleValues.Within(hasValue = true, hasNull = true, Some(Bounds(min, max, exact)))

  private def mayBe(test: ValueTest, dataType: DataType, values: PossibleValues): Boolean =
    new TestEvaluator(test, dataType).mayBeTrue(values)

  private def ints(test: ValueTest, min: Int = 5, max: Int = 9): Boolean =
    mayBe(test, IntegerType, within(min, max))

  private def text(text: String) = UTF8String.fromString(text)

  test("comparisons with bounds") {
    assert(!ints(Compare(Comparison.Less, 5)) && ints(Compare(Comparison.Less, 6)))
    assert(!ints(Compare(Comparison.LessOrEqual, 4)) && ints(Compare(Comparison.LessOrEqual, 5)))
    assert(!ints(Compare(Comparison.Greater, 9)) && ints(Compare(Comparison.Greater, 8)))
    assert(
      !ints(Compare(Comparison.GreaterOrEqual, 10)) && ints(Compare(Comparison.GreaterOrEqual, 9))
    )
  }

  test("one of several values") {
    assert(!ints(OneOf(Vector(1, 4, 10, 20))))
    assert(ints(OneOf(Vector(1, 5))) && ints(OneOf(Vector(9, 10))) && ints(OneOf(Vector(1, 7, 10))))
    assert(!ints(OneOf(Vector())))
    val many = Vector.tabulate(10000)(i => if (i < 5000) i - 5000 else i + 5000)
    assert(!ints(OneOf(many)) && ints(OneOf(many), -1, 3) && ints(OneOf(many), 9999, 10000))
  }

  test("none of several values") {
    assert(ints(NoneOf(Vector(5))))
    assert(!ints(NoneOf(Vector(1, 7)), 7, 7) && ints(NoneOf(Vector(6, 8)), 7, 7))
    // The only bound is not a value.
    assert(mayBe(NoneOf(Vector(7)), IntegerType, within(7, 7, exact = false)))
  }

  test("only IS NULL may be true where all values are null") {
    val tests = Seq(
      Compare(Comparison.Less, 5),
      OneOf(Vector(5)),
      NoneOf(Vector(5)),
      ValueTest.IsNotNull
    )
    tests.foreach { test =>
      assert(!mayBe(test, IntegerType, PossibleValues.OnlyNull))
      assert(mayBe(test, IntegerType, PossibleValues.NotNull))
      assert(mayBe(test, IntegerType, PossibleValues.Anything))
    }
    assert(mayBe(ValueTest.IsNull, IntegerType, PossibleValues.OnlyNull))
    assert(!mayBe(ValueTest.IsNull, IntegerType, PossibleValues.NotNull))
    assert(mayBe(ValueTest.IsNull, IntegerType, PossibleValues.Anything))
    assert(ints(ValueTest.IsNull) && ints(ValueTest.IsNotNull))
  }

  test("NaN is above all numbers, -0.0 is 0.0") {
    def doubles(test: ValueTest, min: Double, max: Double) =
      mayBe(test, DoubleType, within(min, max))
    assert(doubles(Compare(Comparison.Greater, Double.PositiveInfinity), 1.0, Double.NaN))
    assert(!doubles(Compare(Comparison.Greater, Double.NaN), 1.0, Double.NaN))
    assert(doubles(OneOf(Vector(Double.NaN)), 1.0, Double.NaN))
    assert(!doubles(OneOf(Vector(Double.NaN)), 1.0, Double.PositiveInfinity))
    assert(doubles(ValueTest.IsNaN, 1.0, Double.NaN) && !doubles(ValueTest.IsNaN, 1.0, 2.0))
    assert(doubles(OneOf(Vector(0.0)), -0.0, -0.0) && doubles(OneOf(Vector(-0.0)), 0.0, 0.0))
    assert(!doubles(Compare(Comparison.Less, 0.0), -0.0, 3.0))
    assert(doubles(Compare(Comparison.GreaterOrEqual, 0.0), -3.0, -0.0))
    assert(!doubles(NoneOf(Vector(0.0)), -0.0, 0.0))
    assert(mayBe(ValueTest.IsNaN, DoubleType, PossibleValues.NotNull))
    assert(!mayBe(ValueTest.IsNaN, DoubleType, PossibleValues.OnlyNull))
  }

  test("strings by unsigned bytes, and their prefixes") {
    def strings(test: ValueTest, min: String, max: String) =
      mayBe(test, StringType, within(text(min), text(max), exact = false))
    assert(strings(OneOf(Vector(text("\u20ac"))), "z", "\uffff"))
    assert(!strings(OneOf(Vector(text("\u20ac"))), "a", "z"))
    assert(
      strings(StartsWith(text("ab")), "aa", "b") && strings(StartsWith(text("ab")), "abc", "b")
    )
    assert(strings(StartsWith(text("ab")), "a", "ab") && strings(StartsWith(text("ab")), "", "zz"))
    assert(
      !strings(StartsWith(text("ab")), "ac", "b") && !strings(StartsWith(text("ab")), "a", "aa")
    )
    assert(!strings(StartsWith(text("ab")), "b", "c") && !strings(StartsWith(text("ab")), "", "a"))
    assert(strings(StartsWith(text("")), "b", "c"))
    assert(strings(StartsWith(text("abc")), "ab", "abc"))
  }

  test("what a conversion makes of the bounds") {
    def cast(from: DataType, to: DataType, mode: EvalMode.Value) =
      Some(Conversion(Cast(BoundReference(0, from, nullable = true), to, Some("UTC"), mode)))
    val widened = cast(IntegerType, DoubleType, EvalMode.ANSI)
    assert(!ints(Compare(Comparison.Greater, 9.0, widened)))
    assert(ints(Compare(Comparison.Greater, 8.5, widened)))
    assert(!ints(OneOf(Vector(4.5, 9.5), widened)))
    // It raises for the greatest value, and so may for others.
    val narrowed = cast(IntegerType, ByteType, EvalMode.ANSI)
    assert(!mayBe(OneOf(Vector(1.toByte), narrowed), IntegerType, within(5, 100)))
    assert(mayBe(OneOf(Vector(1.toByte), narrowed), IntegerType, within(5, 200)))
    // Where it is null, nothing is known.
    val tried = cast(IntegerType, ByteType, EvalMode.TRY)
    assert(mayBe(OneOf(Vector(1.toByte), tried), IntegerType, within(5, 200)))
    // It raises for NaN.
    val integer = cast(DoubleType, IntegerType, EvalMode.ANSI)
    assert(mayBe(OneOf(Vector(1), integer), DoubleType, within(5.0, Double.NaN)))
    assert(!mayBe(OneOf(Vector(1), integer), DoubleType, within(5.0, 6.0)))
  }

  test("bounds that contradict themselves say nothing") {
    assert(ints(OneOf(Vector(1)), min = 9, max = 5))
    val widened =
      Some(Conversion(Cast(BoundReference(0, IntegerType, nullable = true), DoubleType)))
    assert(ints(OneOf(Vector(1.0), widened), min = 9, max = 5))
  }
}
