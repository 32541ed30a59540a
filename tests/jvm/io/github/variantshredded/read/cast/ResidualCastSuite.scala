package io.github.variantshredded.read.cast

import scala.util.Random

import io.github.variantshredded.extraction.ExtractionResult
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.testing.{Clue, VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatest.funsuite.AnyFunSuite

/** Casts of single residual values, compared with Spark's casts of Variants. */
class ResidualCastSuite extends AnyFunSuite {

  private def caster(target: DataType, strict: Boolean): VariantCaster =
    new VariantCaster(ExtractionResult.Value(target, strict, Some("UTC")), target)

  private def plan(metadata: Array[Byte]): MetadataPlan = new MetadataPlan(
    metadata,
    MetadataDictionary.parse(metadata, 0, metadata.length),
    Array.empty,
    isUnique = true
  )

  /** The condition of the error, or the value. */
  private type Answer = Either[String, Any]

  /** The Variant is put into a slot that was null, with other bytes before and behind it. */
  private def cast(tree: VariantTree, target: DataType, strict: Boolean): Answer = {
    val (metadata, value) = VariantTree.encode(tree)
    val result = new OnHeapColumnVector(3, target)
    result.putNulls(0, 3)
    val bytes = Array[Byte](1, 2, 3) ++ value ++ Array[Byte](4, 5)
    val error = new ResidualCast(caster(target, strict), result)
      .put(1, bytes, 3, 3 + value.length, plan(metadata))
    assert(result.isNullAt(0) && result.isNullAt(2))
    val row = new ColumnarBatch(Array[ColumnVector](result), 3).getRow(1)
    if (error != null) {
      assert(result.isNullAt(1))
      Left(error.getCondition)
    } else Right(if (result.isNullAt(1)) null else CastColumn.value(row, target))
  }

  private def bySpark(tree: VariantTree, target: DataType, strict: Boolean): Answer = {
    val (metadata, value) = VariantTree.encode(tree)
    val args = VariantCastArgs(strict, Some("UTC"), DateTimeUtils.getZoneId("UTC"))
    try
      Right(VariantGet.cast(new Variant(value, metadata), target, args) match {
        case text: UTF8String   => text.toString
        case bytes: Array[Byte] => bytes.toVector
        case decimal: Decimal   => decimal.toJavaBigDecimal
        case other              => other
      })
    catch { case e: RuntimeException with SparkThrowable => Left(e.getCondition) }
  }

  test("integers as bigint") {
    assert(cast(Int8(-7), LongType, strict = true) === Right(-7L))
    assert(cast(Int16(-300), LongType, strict = true) === Right(-300L))
    assert(cast(Int32(Int.MinValue), LongType, strict = true) === Right(Int.MinValue.toLong))
    assert(cast(Int64(Long.MaxValue), LongType, strict = true) === Right(Long.MaxValue))
  }

  test("double, booleans and strings as themselves") {
    assert(cast(Dbl(1.5), DoubleType, strict = true) === Right(1.5))
    assert(cast(Bool(true), BooleanType, strict = true) === Right(true))
    assert(cast(Bool(false), BooleanType, strict = true) === Right(false))
    assert(cast(Str("a\u20ac"), StringType, strict = true) === Right("a\u20ac"))
    assert(cast(Str("x" * 100), StringType, strict = true) === Right("x" * 100))
    assert(cast(Str(""), StringType, strict = true) === Right(""))
  }

  test("a Variant null becomes SQL NULL without an error") {
    Seq(LongType, StringType, DecimalType(9, 2)).foreach { target =>
      assert(cast(Null, target, strict = true) === Right(null))
    }
  }

  test("other casts are Spark's") {
    assert(cast(Str("12"), LongType, strict = true) === Right(12L))
    assert(cast(Decimal4(150, 2), LongType, strict = true) === Right(1L))
    assert(cast(Int8(7), StringType, strict = true) === Right("7"))
    assert(
      cast(Decimal4(150, 2), DecimalType(5, 1), strict = true) ===
        Right(new java.math.BigDecimal("1.5"))
    )
    assert(cast(obj("a" -> Int8(1)), StringType, strict = true) === Right("{\"a\":1}"))
  }

  test("a value that cannot be cast is null: with an error if the cast is strict") {
    Seq(Str("x") -> LongType, obj() -> LongType, Int32(300) -> ByteType).foreach {
      case (tree, target) =>
        assert(cast(tree, target, strict = true) === Left("INVALID_VARIANT_CAST"))
        assert(cast(tree, target, strict = false) === Right(null))
    }
  }

  test("an error is forgotten at the next value") {
    val strict = caster(LongType, strict = true)
    def variant(tree: VariantTree) = {
      val (metadata, value) = VariantTree.encode(tree)
      new Variant(value, metadata)
    }
    assert(strict.cast(variant(Str("x"))) == null && strict.error != null)
    assert(strict.cast(variant(Str("5"))) == 5L && strict.error == null)
    assert(strict.failOnError && !caster(LongType, strict = false).failOnError)
  }

  test("random scalars as every type: as Spark casts them") {
    val trees = Gen
      .listOfN(800, VariantGenerators.genScalar)
      .pureApply(Gen.Parameters.default, Seed(7L))
      .filter(VariantTree.isKnownToSpark)
    assert(trees.size > 300)
    val targets = Seq(
      BooleanType,
      ByteType,
      ShortType,
      IntegerType,
      LongType,
      FloatType,
      DoubleType,
      DecimalType(9, 2),
      DecimalType(38, 10),
      StringType,
      BinaryType,
      DateType,
      TimestampType,
      TimestampNTZType
    )
    val rng = new Random(7)
    trees.foreach { tree =>
      val target = targets(rng.nextInt(targets.size))
      Seq(true, false).foreach { strict =>
        val expected = bySpark(tree, target, strict)
        // NaN is not equal to itself.
        assert(
          cast(tree, target, strict).map(String.valueOf(_)) ===
            expected.map(String.valueOf(_)),
          Clue(s"$tree as $target, strict: $strict")
        )
      }
    }
  }
}
