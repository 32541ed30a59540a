package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}
import io.github.variantshredded.shredding.ShreddingSchema._
import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, PrimitiveType, Type, Types}
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Type.Repetition.{OPTIONAL, REPEATED, REQUIRED}
import org.apache.spark.sql.types.Decimal

/**
 * Builds the Parquet group of a Variant by the VariantShredding spec.
 *
 * {{{
 * optional group v (VARIANT(1)) {
 *   required binary metadata;
 *   optional binary value;               <- required if the Variant is unshredded
 *   optional group typed_value {         <- an object: one required group per field
 *     required group tags {
 *       optional binary value;
 *       optional group typed_value (LIST) {
 *         repeated group list {
 *           required group element {
 *             optional binary value;
 *             optional binary typed_value (STRING);
 *           }
 *         }
 *       }
 *     }
 *   }
 * }
 * }}}
 */
object SpecLayoutWriter {

  /** Version of the Variant spec in the annotation. */
  private final val SpecVersion: Byte = 1

  /** Returns the group `name` of Variants that are shredded by `schema`. */
  def group(name: String, schema: ShreddingSchema, repetition: Repetition): GroupType = {
    val builder = Types
      .buildGroup(repetition)
      .as(LogicalTypeAnnotation.variantType(SpecVersion))
      .addField(binary("metadata", REQUIRED))
    schema match {
      case Unshredded => builder.addField(binary("value", REQUIRED)).named(name)
      case _          => builder.addFields(position(schema): _*).named(name)
    }
  }

  /** Returns the number of leaf columns besides `metadata` and the `value` of the root. */
  def leafCount(schema: ShreddingSchema): Int = schema match {
    case Unshredded       => 0
    case Primitive(_)     => 1
    case ArrayOf(element) => 1 + leafCount(element)
    case ObjectOf(fields) => fields.map { case (_, field) => 1 + leafCount(field) }.sum
  }

  private def position(schema: ShreddingSchema): Seq[Type] = {
    val value = binary("value", OPTIONAL)
    schema match {
      case Unshredded              => Seq(value)
      case Primitive(shreddedType) => Seq(value, typedValue(shreddedType))
      case ArrayOf(element)        =>
        val list = Types
          .buildGroup(REPEATED)
          .addField(Types.buildGroup(REQUIRED).addFields(position(element): _*).named("element"))
          .named("list")
        val typed =
          Types.buildGroup(OPTIONAL).as(LogicalTypeAnnotation.listType()).addField(list)
        Seq(value, typed.named("typed_value"))
      case ObjectOf(fields) =>
        val typed = Types.buildGroup(OPTIONAL)
        fields.foreach { case (name, field) =>
          typed.addField(Types.buildGroup(REQUIRED).addFields(position(field): _*).named(name))
        }
        Seq(value, typed.named("typed_value"))
    }
  }

  private def binary(name: String, repetition: Repetition): PrimitiveType =
    Types.primitive(BINARY, repetition).named(name)

  /** Returns the column of a type, by the table "Shredded Value Types". */
  private[layout] def typedValue(shreddedType: ShreddedType): PrimitiveType = shreddedType match {
    case ShreddedType.BooleanType => plain(BOOLEAN)
    case ShreddedType.Int8        => annotated(INT32, LogicalTypeAnnotation.intType(8, true))
    case ShreddedType.Int16       => annotated(INT32, LogicalTypeAnnotation.intType(16, true))
    case ShreddedType.Int32       => plain(INT32)
    case ShreddedType.Int64       => plain(INT64)
    case ShreddedType.FloatType   => plain(FLOAT)
    case ShreddedType.DoubleType  => plain(DOUBLE)
    case ShreddedType.DecimalOf(precision, scale) => decimal(precision, scale)
    case ShreddedType.Date => annotated(INT32, LogicalTypeAnnotation.dateType())
    case ShreddedType.Time =>
      annotated(INT64, LogicalTypeAnnotation.timeType(false, TimeUnit.MICROS))
    case ShreddedType.TimestampMicros    => timestamp(adjustedToUtc = true, TimeUnit.MICROS)
    case ShreddedType.TimestampNanos     => timestamp(adjustedToUtc = true, TimeUnit.NANOS)
    case ShreddedType.TimestampNtzMicros => timestamp(adjustedToUtc = false, TimeUnit.MICROS)
    case ShreddedType.TimestampNtzNanos  => timestamp(adjustedToUtc = false, TimeUnit.NANOS)
    case ShreddedType.Binary             => plain(BINARY)
    case ShreddedType.StringType         => annotated(BINARY, LogicalTypeAnnotation.stringType())
    case ShreddedType.Uuid               => fixed(16, LogicalTypeAnnotation.uuidType())
  }

  private def decimal(precision: Int, scale: Int): PrimitiveType = {
    val annotation = LogicalTypeAnnotation.decimalType(scale, precision)
    if (precision <= Decimal.MAX_INT_DIGITS) annotated(INT32, annotation)
    else if (precision <= Decimal.MAX_LONG_DIGITS) annotated(INT64, annotation)
    else fixed(decimalBytes(precision), annotation)
  }

  /** Returns the bytes of the fixed-length column that holds a decimal16 of `precision`. */
  private[variantshredded] def decimalBytes(precision: Int): Int =
    Decimal.minBytesForPrecision(precision)

  private def timestamp(adjustedToUtc: Boolean, unit: TimeUnit): PrimitiveType =
    annotated(INT64, LogicalTypeAnnotation.timestampType(adjustedToUtc, unit))

  private def plain(physical: PrimitiveTypeName): PrimitiveType =
    Types.primitive(physical, OPTIONAL).named("typed_value")

  private def annotated(
      physical: PrimitiveTypeName,
      annotation: LogicalTypeAnnotation
  ): PrimitiveType =
    Types.primitive(physical, OPTIONAL).as(annotation).named("typed_value")

  private def fixed(length: Int, annotation: LogicalTypeAnnotation): PrimitiveType =
    Types
      .primitive(FIXED_LEN_BYTE_ARRAY, OPTIONAL)
      .length(length)
      .as(annotation)
      .named("typed_value")
}
