package io.github.variantshredded.read.skip

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, INT32}
import org.apache.parquet.schema.Types
import org.scalatest.funsuite.AnyFunSuite

/** What is known of a leaf column by its statistics. */
class LeafRangeSuite extends AnyFunSuite {

  private val number = Types.optional(INT32).named("n")
  private val five = Array[Byte](5, 0, 0, 0)
  private val nine = Array[Byte](9, 0, 0, 0)

  /** The range of ten values. */
  private def range(bounded: Boolean, nulls: Option[Long]): LeafRange = {
    val builder = Statistics.getBuilderForReading(number)
    if (bounded) builder.withMin(five).withMax(nine)
    nulls.foreach(builder.withNumNulls(_))
    LeafRange.of(builder.build(), 10)
  }

  private def bounds(min: Array[Byte], max: Array[Byte]): LeafRange =
    LeafRange(allNull = false, noNull = false, min, max, exact = false)

  private def binary(bytes: Int*): Array[Byte] = bytes.map(_.toByte).toArray

  test("without statistics nothing is known") {
    Seq(LeafRange.of(null: Statistics[_], 10), range(bounded = false, None)).foreach { range =>
      assert(!range.allNull && !range.noNull && !range.hasBounds && !range.exact)
    }
    assert(LeafRange.of(null: Statistics[_], 10) eq LeafRange.Unknown)
  }

  test("as many nulls as values: all are null") {
    val all = range(bounded = false, Some(10))
    assert(all.allNull && !all.noNull && !all.hasBounds)
  }

  test("some nulls: neither all nor none") {
    val some = range(bounded = true, Some(3))
    assert(!some.allNull && !some.noNull)
    assert(some.min.toSeq === five.toSeq && some.max.toSeq === nine.toSeq)
    assert(!range(bounded = false, Some(9)).allNull)
  }

  test("no nulls") {
    val none = range(bounded = true, Some(0))
    assert(none.noNull && !none.allNull)
  }

  test("no number of nulls: bounds, but nothing of nulls") {
    val bounded = range(bounded = true, None)
    assert(bounded.hasBounds && !bounded.noNull && !bounded.allNull)
  }

  test("bounds of values that are said to be all null: the bounds count") {
    val both = range(bounded = true, Some(10))
    assert(both.hasBounds && !both.allNull && !both.noNull)
  }

  test("bounds by statistics need not be values, an entry of a dictionary is one") {
    assert(!range(bounded = true, Some(0)).exact)
    val entry = LeafRange.entry(five)
    assert(entry.exact && entry.noNull && !entry.allNull && entry.hasBounds)
    assert(entry.min.toSeq === five.toSeq && entry.max.toSeq === five.toSeq)
  }

  test("one bound alone does not bound") {
    assert(!bounds(five, null).hasBounds && !bounds(null, nine).hasBounds)
    assert(bounds(five, nine).hasBounds)
  }

  test(
    "an untyped column has only Variant nulls if all is null, or its maximum is a Variant null"
  ) {
    assert(LeafRange.AllNull.hasOnlyVariantNulls)
    assert(
      bounds(null, binary(0)).hasOnlyVariantNulls && bounds(
        binary(0),
        binary(0)
      ).hasOnlyVariantNulls
    )
    assert(!LeafRange.Unknown.hasOnlyVariantNulls)
    // A string that is empty, a number, and something that begins as a Variant null does.
    Seq(binary(), binary(1), binary(4), binary(0, 0)).foreach { max =>
      assert(!bounds(binary(0), max).hasOnlyVariantNulls)
    }
    assert(bounds(binary(), binary(0)).hasOnlyVariantNulls)
    // A minimum that is above the maximum contradicts it.
    Seq(binary(1), binary(0, 0), binary(0xff)).foreach { min =>
      assert(!bounds(min, binary(0)).hasOnlyVariantNulls)
    }
  }

  test(
    "in the layout overview, an untyped column has them if all is null, or one own Variant null"
  ) {
    val plain = binary(0x01, 0, 0, 0)
    val sorted = binary(0x11, 0, 0, 0)
    assert(LeafRange.AllNull.hasOnlyOwnVariantNulls)
    assert(
      bounds(plain, plain.clone()).hasOnlyOwnVariantNulls && bounds(
        sorted,
        sorted.clone()
      ).hasOnlyOwnVariantNulls
    )
    // Between two different values there may be others.
    assert(!bounds(plain, sorted).hasOnlyOwnVariantNulls)
    assert(!LeafRange.Unknown.hasOnlyOwnVariantNulls)
    assert(
      !bounds(null, plain).hasOnlyOwnVariantNulls && !bounds(plain, null).hasOnlyOwnVariantNulls
    )
    val other = binary(0x01, 0, 0, 4)
    assert(!bounds(other, other.clone()).hasOnlyOwnVariantNulls)
  }

  test("what the footer says of a binary") {
    val leaf = Types.optional(BINARY).named("value")
    val nulls = Statistics.getBuilderForReading(leaf).withMin(binary(0)).withMax(binary(0))
    assert(LeafRange.of(nulls.withNumNulls(2).build(), 10).hasOnlyVariantNulls)
  }
}
