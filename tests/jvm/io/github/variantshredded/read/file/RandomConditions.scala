package io.github.variantshredded.read.file

import scala.util.{Random, Try}

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.read.extract.RandomExtractions
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.variant.VariantPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Random conditions on a Variant and on ordinary columns, about values that are there, mostly.
 *
 * @param variant
 *   the first column, or a field of it
 * @param input
 *   the columns of `rows`
 */
final class RandomConditions(
    rng: Random,
    variant: Expression,
    input: Seq[AttributeReference],
    samples: Seq[VariantTree],
    rows: IndexedSeq[InternalRow]
) {
  private val extractions = new RandomExtractions(rng)
  private val columns = input.tail

  def conjuncts(): Seq[Expression] = Seq.fill(1 + rng.nextInt(3))(condition(2))

  private def pick[T](from: Seq[T]): T = from(rng.nextInt(from.size))

  private def condition(depth: Int): Expression = rng.nextInt(if (depth == 0) 1 else 6) match {
    case 1 => And(condition(depth - 1), condition(depth - 1))
    case 2 => Or(condition(depth - 1), condition(depth - 1))
    case 3 => Not(condition(depth - 1))
    case _ => test(value())
  }

  private def value(): Expression =
    if (rng.nextInt(5) == 0) pick(columns)
    else {
      val extraction = extractions.extraction(samples)
      val path = Literal(pathText(extraction))
      extraction.what match {
        case ExtractionResult.IsPresent | ExtractionResult.IsVariantNull =>
          VariantGet(variant, path, VariantType, failOnError = true, Some("UTC"))
        case ExtractionResult.Value(target, strict, zone, _) =>
          VariantGet(variant, path, target, strict, zone)
      }
    }

  private def pathText(extraction: ScanExtraction): String =
    extraction.path.foldLeft("$") {
      case (path, PathStep.Field(name))    => VariantPath.field(path, name)
      case (path, PathStep.Element(index)) => VariantPath.element(path, index)
    }

  /** What the expression is in some row, or almost. */
  private def literal(value: Expression): Any = {
    val bound = BindReferences.bindReference(value, AttributeSeq(input))
    val found = Iterator
      .fill(5)(Try(bound.eval(pick(rows))).getOrElse(null))
      .find(_ != null)
      .orNull
    found match {
      case text: UTF8String if rng.nextInt(3) == 0 =>
        UTF8String.fromString(text.toString.take(rng.nextInt(3)) + "m")
      case number: Int if rng.nextInt(3) == 0    => number + rng.nextInt(3) - 1
      case number: Long if rng.nextInt(3) == 0   => number + rng.nextInt(3) - 1
      case number: Double if rng.nextInt(4) == 0 =>
        pick(Seq(Double.NaN, 0.0, -0.0, number / 2, Double.PositiveInfinity))
      case number: Float if rng.nextInt(4) == 0 => pick(Seq(Float.NaN, 0.0f, -0.0f, number / 2))
      case other                                => other
    }
  }

  private def test(value: Expression): Expression = value.dataType match {
    case VariantType           => if (rng.nextBoolean()) IsNull(value) else IsNotNull(value)
    case ArrayType(element, _) => arrayTest(value, element)
    case _: MapType            => IsNotNull(value)
    case struct: StructType if struct.nonEmpty && rng.nextInt(4) > 0 =>
      test(GetStructField(value, rng.nextInt(struct.length)))
    case _: StructType => IsNull(value)
    case other         => scalarTest(value, other, literal(value))
  }

  private def arrayTest(array: Expression, element: DataType): Expression = {
    val elements = literal(array) match {
      case found: ArrayData => found.toSeq[Any](element).filter(_ != null)
      case _                => Nil
    }
    val some = if (elements.isEmpty) null else pick(elements)
    element match {
      case _ if rng.nextInt(6) == 0              => IsNotNull(array)
      case struct: StructType if struct.nonEmpty =>
        val variable = NamedLambdaVariable("x", element, nullable = true)
        val field = rng.nextInt(struct.length)
        val inside = some match {
          case row: InternalRow if !row.isNullAt(field) => row.get(field, struct(field).dataType)
          case _                                        => null
        }
        if (isScalar(struct(field).dataType)) {
          val body = scalarTest(GetStructField(variable, field), struct(field).dataType, inside)
          ArrayExists(array, LambdaFunction(body, Seq(variable)))
        } else {
          IsNotNull(array)
        }
      case scalar if isScalar(scalar) =>
        rng.nextInt(4) match {
          case 0 if some != null => ArrayContains(array, Literal(some, element))
          case 1 if some != null =>
            val values = ArrayData.toArrayData(Array[Any](some, pick(elements)))
            ArraysOverlap(array, Literal(values, ArrayType(element)))
          case _ =>
            val variable = NamedLambdaVariable("x", element, nullable = true)
            ArrayExists(array, LambdaFunction(scalarTest(variable, scalar, some), Seq(variable)))
        }
      case _ => IsNull(array)
    }
  }

  private def isScalar(dataType: DataType): Boolean =
    dataType != VariantType && RandomExtractions.scalars.contains(dataType)

  private def scalarTest(value: Expression, dataType: DataType, like: Any): Expression = {
    val literal = Literal(like, dataType)
    val (left, right) = widened(value, literal)
    rng.nextInt(12) match {
      case 0                                           => IsNull(value)
      case 1                                           => IsNotNull(value)
      case 2                                           => EqualNullSafe(left, right)
      case 3                                           => LessThan(left, right)
      case 4                                           => LessThanOrEqual(left, right)
      case 5                                           => GreaterThan(right, left)
      case 6                                           => GreaterThanOrEqual(left, right)
      case 7 if like != null                           => In(value, Seq(literal, literal))
      case 8 if like != null                           => InSet(value, Set(like))
      case 9 if dataType == DoubleType                 => IsNaN(value)
      case 9 if dataType == BooleanType                => value
      case 9 if dataType == StringType && like != null =>
        StartsWith(value, Literal(UTF8String.fromString(like.toString.take(2)), StringType))
      case 10 if dataType == StringType && like != null =>
        new Like(value, Literal(UTF8String.fromString(like.toString.take(1) + "%m"), StringType))
      case _ => EqualTo(left, right)
    }
  }

  private def widened(value: Expression, literal: Literal): (Expression, Expression) =
    value.dataType match {
      case IntegerType | ShortType | ByteType if rng.nextInt(3) == 0 =>
        val wider = pick(Seq(LongType, DoubleType, DecimalType(20, 2)))
        (Cast(value, wider), Literal(Cast(literal, wider).eval(), wider))
      case FloatType if rng.nextInt(3) == 0 =>
        (Cast(value, DoubleType), Literal(Cast(literal, DoubleType).eval(), DoubleType))
      case _ => (value, literal)
    }
}
