package io.github.variantshredded.read.file

import java.math.{BigDecimal, BigInteger}
import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime, Period}

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** Random external rows of any schema, nulls where the schema allows them. */
final class RandomRows(rng: Random) {

  def row(schema: StructType): Row = Row.fromSeq(schema.fields.toSeq.map { field =>
    value(field.dataType, field.nullable)
  })

  private def value(dataType: DataType, nullable: Boolean): Any =
    if (nullable && rng.nextInt(6) == 0) null else present(dataType)

  private def present(dataType: DataType): Any = dataType match {
    case BooleanType          => rng.nextBoolean()
    case ByteType             => rng.nextInt().toByte
    case ShortType            => rng.nextInt().toShort
    case IntegerType          => number().toInt
    case LongType             => number()
    case FloatType            => oneOf(rng.nextFloat(), Float.NaN, -0.0f, Float.MinPositiveValue)
    case DoubleType           => oneOf(rng.nextDouble(), Double.NaN, Double.NegativeInfinity)
    case decimal: DecimalType => unscaled(decimal)
    case StringType           => rng.alphanumeric.take(rng.nextInt(12)).mkString + "\u20ac"
    case BinaryType           => rng.nextBytes(rng.nextInt(9))
    case DateType             => LocalDate.ofEpochDay(rng.nextInt(40000).toLong - 10000)
    case TimestampType        => Instant.ofEpochMilli(rng.nextInt().toLong * 977)
    case TimestampNTZType     =>
      LocalDateTime.of(1970 + rng.nextInt(90), 1 + rng.nextInt(12), 1 + rng.nextInt(28), 5, 6, 7)
    case _: TimeType              => LocalTime.ofNanoOfDay(rng.nextInt(86400).toLong * 1000001000L)
    case _: YearMonthIntervalType => Period.ofMonths(rng.nextInt(5000)).normalized
    case _: DayTimeIntervalType   => Duration.ofMillis(rng.nextInt().toLong)
    case struct: StructType       => row(struct)
    case array: ArrayType         =>
      Seq.fill(rng.nextInt(4))(value(array.elementType, array.containsNull))
    case map: MapType =>
      Seq
        .fill(rng.nextInt(4))(present(map.keyType) -> value(map.valueType, map.valueContainsNull))
        .toMap
    case other => throw new IllegalArgumentException(other.catalogString)
  }

  /** Few distinct small numbers, so that pages have dictionaries, and large ones. */
  private def number(): Long =
    if (rng.nextBoolean()) rng.nextInt(20).toLong else rng.nextLong() >> rng.nextInt(64)

  private def oneOf[T](values: T*): T = values(rng.nextInt(values.size))

  private def unscaled(decimal: DecimalType): BigDecimal = {
    val digits = rng.alphanumeric.filter(_.isDigit).take(1 + rng.nextInt(decimal.precision))
    val number = new BigInteger(digits.mkString)
    new BigDecimal(if (rng.nextBoolean()) number else number.negate, decimal.scale)
  }
}
