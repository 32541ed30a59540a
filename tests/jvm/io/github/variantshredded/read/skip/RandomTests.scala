package io.github.variantshredded.read.skip

import scala.util.Random

import io.github.variantshredded.predicate.{Comparison, SkippingPredicate, ValueTest}
import io.github.variantshredded.predicate.ValueTest._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, EvalMode}
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Random tests of values, with literals near those that are there. */
final class RandomTests(rng: Random) {

  private def pick[T](from: Seq[T]): T = from(rng.nextInt(from.size))

  /** Whether there are literals of the type. */
  def isTestable(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType | VariantType => false
    case _                                                       => true
  }

  /**
   * @param values
   *   some that are there, without nulls
   */
  def test(dataType: DataType, values: IndexedSeq[Any]): ValueTest = rng.nextInt(12) match {
    case 0                                                    => ValueTest.IsNull
    case 1                                                    => ValueTest.IsNotNull
    case 2 if dataType == FloatType || dataType == DoubleType => ValueTest.IsNaN
    case _ if !isTestable(dataType)          => pick(Seq(ValueTest.IsNull, ValueTest.IsNotNull))
    case 3 | 4 | 2 if dataType == StringType =>
      StartsWith(prefix(literal(dataType, values).asInstanceOf[UTF8String]))
    case 3 | 4 | 5 =>
      val (conversion, tested) = converted(dataType)
      OneOf(literals(tested, converted(conversion, values)), conversion)
    case 6 =>
      val (conversion, tested) = converted(dataType)
      NoneOf(literals(tested, converted(conversion, values)), conversion)
    case _ =>
      val (conversion, tested) = converted(dataType)
      val comparisons = Seq(
        Comparison.Less,
        Comparison.LessOrEqual,
        Comparison.Greater,
        Comparison.GreaterOrEqual
      )
      Compare(pick(comparisons), literal(tested, converted(conversion, values)), conversion)
  }

  /** `And`s and `Or`s of what `test` makes. */
  def tree(depth: Int)(test: => SkippingPredicate): SkippingPredicate =
    if (depth == 0 || rng.nextInt(2) == 0)
      if (rng.nextInt(20) == 0) SkippingPredicate.Unknown else test
    else if (rng.nextBoolean()) SkippingPredicate.And(tree(depth - 1)(test), tree(depth - 1)(test))
    else SkippingPredicate.Or(tree(depth - 1)(test), tree(depth - 1)(test))

  /** A field of structs, perhaps: its ordinals, its type and the values that are there. */
  def descend(
      dataType: DataType,
      values: IndexedSeq[Any]
  ): (List[Int], DataType, IndexedSeq[Any]) = dataType match {
    case struct: StructType if struct.nonEmpty =>
      val field = rng.nextInt(struct.length)
      val below = values.collect {
        case row: InternalRow if !row.isNullAt(field) =>
          row.get(field, struct(field).dataType)
      }
      val (rest, tested, found) = descend(struct(field).dataType, below)
      (field :: rest, tested, found)
    case _ => (Nil, dataType, values)
  }

  private def converted(dataType: DataType): (Option[Conversion], DataType) = {
    val targets = dataType match {
      case ByteType | ShortType | IntegerType => Seq(LongType, DoubleType, ShortType)
      case LongType                           => Seq(DoubleType, IntegerType)
      case FloatType                          => Seq(DoubleType, LongType)
      case DoubleType                         => Seq(FloatType, IntegerType)
      case _: DecimalType                     => Seq(DoubleType, DecimalType(20, 3))
      case DateType                           => Seq(TimestampType)
      case TimestampType                      => Seq(DateType)
      case _                                  => Nil
    }
    if (targets.isEmpty || rng.nextInt(3) > 0) (None, dataType)
    else {
      val target = pick(targets)
      val cast =
        Cast(BoundReference(0, dataType, nullable = true), target, Some("UTC"), EvalMode.ANSI)
      (Some(Conversion(cast)), target)
    }
  }

  private def converted(conversion: Option[Conversion], values: IndexedSeq[Any]): IndexedSeq[Any] =
    conversion.fold(values) { conversion =>
      values.flatMap { value =>
        val row =
          new org.apache.spark.sql.catalyst.expressions.GenericInternalRow(Array[Any](value))
        scala.util.Try(conversion.expression.eval(row)).toOption.filter(_ != null)
      }
    }

  private def literals(dataType: DataType, values: IndexedSeq[Any]): IndexedSeq[Any] = {
    val ordering = TypeUtils.getInterpretedOrdering(dataType)
    val all = Vector.fill(1 + rng.nextInt(3))(literal(dataType, values)).sorted(ordering)
    all.foldLeft(Vector.empty[Any]) { (kept, next) =>
      if (kept.lastOption.exists(ordering.equiv(_, next))) kept else kept :+ next
    }
  }

  private def literal(dataType: DataType, values: IndexedSeq[Any]): Any = {
    val near = if (values.isEmpty || rng.nextInt(5) == 0) None else Some(pick(values))
    val step = rng.nextInt(3) - 1
    dataType match {
      case BooleanType => near.getOrElse(rng.nextBoolean())
      case ByteType    => (near.fold(rng.nextInt())(_.asInstanceOf[Byte] + step)).toByte
      case ShortType   => (near.fold(rng.nextInt())(_.asInstanceOf[Short] + step)).toShort
      case IntegerType | DateType =>
        near.fold(rng.nextInt() >> rng.nextInt(32))(_.asInstanceOf[Int] + step)
      case LongType | TimestampType | TimestampNTZType =>
        near.fold(rng.nextLong() >> rng.nextInt(64))(_.asInstanceOf[Long] + step)
      case FloatType =>
        near.fold(pick(Seq(0.0f, -0.0f, Float.NaN, rng.nextFloat())))(
          _.asInstanceOf[Float] + step
        )
      case DoubleType =>
        near.fold(pick(Seq(0.0, -0.0, Double.NaN, rng.nextDouble())))(
          _.asInstanceOf[Double] + step
        )
      case decimal: DecimalType =>
        val number = near.fold(java.math.BigDecimal.ZERO)(_.asInstanceOf[Decimal].toJavaBigDecimal)
        val moved = number.add(java.math.BigDecimal.valueOf(step.toLong, decimal.scale))
        Decimal(
          if (moved.precision > decimal.precision) number else moved,
          decimal.precision,
          decimal.scale
        )
      case StringType =>
        val text = near.fold(UTF8String.fromString(rng.nextString(2)))(_.asInstanceOf[UTF8String])
        if (step == 0) text else prefix(text)
      case BinaryType =>
        near.getOrElse(rng.nextBytes(rng.nextInt(3)))
      case other => throw new IllegalArgumentException(other.sql)
    }
  }

  private def prefix(text: UTF8String): UTF8String =
    text.substring(0, rng.nextInt(text.numChars + 1))
}
