package io.github.variantshredded.fuzz

import io.github.variantshredded.read.extract.RandomExtractions
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.types._

/** Random types to cast Variants to, mostly such as fit given values. */
final class RandomTarget(dice: Dice) {

  /**
   * @param careful
   *   whether the cast should seldom be refused
   */
  def target(samples: Vector[VariantTree], careful: Boolean): DataType = {
    val found = of(samples, 3, careful)
    if (careful && !fits(found, samples)) StringType else found
  }

  def scalar(samples: Vector[VariantTree]): DataType =
    if (samples.isEmpty) dice.pick(scalars) else alike(dice.pick(samples))

  private def scalars: Vector[DataType] = RandomExtractions.scalars.filter(_ != VariantType)

  private def of(samples: Vector[VariantTree], depth: Int, careful: Boolean): DataType =
    if (samples.isEmpty || dice.oneIn(if (careful) 12 else 5)) {
      if (dice.oneIn(8)) VariantType else dice.pick(scalars)
    } else {
      dice.pick(samples) match {
        case Arr(_) if depth > 0 && !dice.oneIn(6) =>
          ArrayType(of(samples.collect { case Arr(e) => e }.flatten, depth - 1, careful))
        case Obj(_) if depth > 0 && !dice.oneIn(6) =>
          val all = samples.collect { case Obj(f) => f }.flatten
          if (dice.oneIn(5)) MapType(StringType, of(all.map(_._2), depth - 1, careful))
          else {
            val names = dice.some(all.map(_._1), dice.below(4))
            val more = if (dice.oneIn(5)) Vector(Shape.fieldName(dice)) else Vector()
            val usable = (names ++ more).distinct.filter(_.nonEmpty)
            StructType(usable.map { name =>
              StructField(name, of(all.collect { case (`name`, c) => c }, depth - 1, careful))
            })
          }
        case scalar => alike(scalar)
      }
    }

  private def alike(scalar: VariantTree): DataType = scalar match {
    case _ if dice.oneIn(4) => dice.pick(scalars)
    case Bool(_)            => BooleanType
    case Int8(_)            => dice.pick(Vector(ByteType, IntegerType, LongType, DoubleType))
    case Int16(_)           => dice.pick(Vector(ShortType, IntegerType, LongType, FloatType))
    case Int32(_)           => dice.pick(Vector(IntegerType, LongType, DoubleType, StringType))
    case Int64(_)           => dice.pick(Vector(LongType, LongType, DecimalType(20, 0), StringType))
    case Flt(_)             => dice.pick(Vector(FloatType, DoubleType, StringType))
    case Dbl(_)             => dice.pick(Vector(DoubleType, DoubleType, FloatType, StringType))
    case Decimal4(_, s)  => dice.pick(Vector(DecimalType(9, s), DecimalType(12, s + 1), DoubleType))
    case Decimal8(_, s)  => dice.pick(Vector(DecimalType(18, s), DecimalType(38, s), StringType))
    case Decimal16(_, s) => dice.pick(Vector(DecimalType(38, s), DoubleType))
    case Date(_)         => dice.pick(Vector(DateType, TimestampType, StringType))
    case TimestampMicros(_)    => dice.pick(Vector(TimestampType, TimestampNTZType, DateType))
    case TimestampNtzMicros(_) => dice.pick(Vector(TimestampNTZType, TimestampType, StringType))
    case Binary(_)             => BinaryType
    case _                     => StringType
  }

  private def fits(target: DataType, samples: Vector[VariantTree]): Boolean =
    samples.forall(sample => SampleCast(sample, target) != null || sample == Null)
}
