package io.github.variantshredded.read.extract

import scala.util.Random

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.testing.{RandomShredding, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.types._

/** Random extractions that find something in given Variants, mostly. */
final class RandomExtractions(rng: Random) {

  private def pick[T](from: Seq[T]): T = from(rng.nextInt(from.size))

  def extraction(samples: Seq[VariantTree]): ScanExtraction = {
    val (path, found) = if (samples.isEmpty) (Nil, Nil) else walk(Nil, samples)
    val what = rng.nextInt(10) match {
      case 0 => ExtractionResult.IsVariantNull
      case 1 => ExtractionResult.IsPresent
      case _ =>
        val zone = pick(Seq("UTC", "America/Los_Angeles", "Asia/Kathmandu"))
        ExtractionResult.Value(target(found, 3), rng.nextBoolean(), Some(zone))
    }
    ScanExtraction(Seq("v"), path, what)
  }

  /** A path, and what the samples have there. */
  private def walk(
      path: List[PathStep],
      samples: Seq[VariantTree]
  ): (Seq[PathStep], Seq[VariantTree]) = {
    val containers = samples.collect { case c @ (_: Obj | _: Arr) => c }
    if (containers.isEmpty || rng.nextInt(5) == 0) {
      if (rng.nextInt(12) == 0) (path :+ PathStep.Field(pick(RandomShredding.names)), Nil)
      else (path, samples)
    } else {
      pick(containers) match {
        case Obj(fields) if fields.nonEmpty =>
          val name = pick(fields)._1
          val below = samples.collect { case Obj(f) => f.toMap.get(name) }.flatten
          walk(path :+ PathStep.Field(name), below)
        case Arr(elements) if elements.nonEmpty =>
          val index = rng.nextInt(elements.size)
          val below = samples.collect { case Arr(e) => e.lift(index) }.flatten
          walk(path :+ PathStep.Element(index), below)
        case _ => (path, samples)
      }
    }
  }

  private def target(samples: Seq[VariantTree], depth: Int): DataType =
    if (samples.isEmpty || rng.nextInt(4) == 0) pick(RandomExtractions.scalars)
    else {
      pick(samples) match {
        case Arr(_) if depth > 0 && rng.nextInt(6) > 0 =>
          ArrayType(target(samples.collect { case Arr(e) => e }.flatten, depth - 1))
        case Obj(fields) if depth > 0 && rng.nextInt(6) > 0 =>
          val all = samples.collect { case Obj(f) => f }.flatten
          if (rng.nextInt(5) == 0) MapType(StringType, target(all.map(_._2), depth - 1))
          else {
            val names = rng.shuffle(all.map(_._1).distinct).take(rng.nextInt(4))
            val more = if (rng.nextInt(4) == 0) Seq(pick(RandomShredding.names)) else Nil
            StructType((names ++ more).distinct.map { name =>
              StructField(name, target(all.collect { case (`name`, c) => c }, depth - 1))
            })
          }
        case scalar => alike(scalar)
      }
    }

  private def alike(scalar: VariantTree): DataType = scalar match {
    case _ if rng.nextInt(3) == 0  => pick(RandomExtractions.scalars)
    case Bool(_)                   => BooleanType
    case Int8(_)                   => ByteType
    case Int16(_)                  => ShortType
    case Int32(_)                  => IntegerType
    case Int64(_)                  => LongType
    case Flt(_)                    => FloatType
    case Dbl(_)                    => DoubleType
    case Decimal4(_, s) if s <= 9  => DecimalType(9, s)
    case Decimal8(_, s) if s <= 18 => DecimalType(18, s)
    case Decimal16(_, s)           => DecimalType(38, s)
    case Date(_)                   => DateType
    case TimestampMicros(_)        => TimestampType
    case TimestampNtzMicros(_)     => TimestampNTZType
    case Binary(_)                 => BinaryType
    case _                         => StringType
  }
}

object RandomExtractions {

  val scalars: Vector[DataType] = Vector(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType(5, 2),
    DecimalType(18, 0),
    DecimalType(38, 10),
    StringType,
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    VariantType
  )
}
