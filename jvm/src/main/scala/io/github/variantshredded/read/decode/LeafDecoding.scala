package io.github.variantshredded.read.decode

import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{TypedValue, VariantLeaf}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType, Types}
import org.apache.spark.sql.types._

/**
 * Chooses how a leaf column of a Variant group is decoded: the Spark type of its vector, and a
 * descriptor with which Spark's decoders return the stored numbers or bytes unconverted.
 */
private[read] object LeafDecoding {

  def binary(leaf: VariantLeaf): (DataType, ColumnDescriptor) = (BinaryType, leaf.descriptor)

  def typed(primitive: TypedValue.Primitive): (DataType, ColumnDescriptor) = {
    val descriptor = primitive.leaf.descriptor
    primitive.shreddedType match {
      case ShreddedType.BooleanType     => (BooleanType, descriptor)
      case ShreddedType.FloatType       => (FloatType, descriptor)
      case ShreddedType.DoubleType      => (DoubleType, descriptor)
      case ShreddedType.Date            => (DateType, descriptor)
      case ShreddedType.TimestampMicros => (TimestampType, descriptor)
      // StringType, not BinaryType, because Spark's copies of arrays and rows look at the type of
      // the vector.
      case ShreddedType.StringType => (StringType, withoutAnnotation(descriptor))
      case _                       =>
        val plain = withoutAnnotation(descriptor)
        plain.getPrimitiveType.getPrimitiveTypeName match {
          case PrimitiveType.PrimitiveTypeName.INT32 => (IntegerType, plain)
          case PrimitiveType.PrimitiveTypeName.INT64 => (LongType, plain)
          case _                                     => (BinaryType, plain)
        }
    }
  }

  /** Returns a column whose numbers or bytes are not interpreted. */
  def withoutAnnotation(descriptor: ColumnDescriptor): ColumnDescriptor =
    withAnnotation(descriptor, null)

  /** Returns a column whose numbers or bytes are interpreted by `annotation`; null for none. */
  def withAnnotation(
      descriptor: ColumnDescriptor,
      annotation: LogicalTypeAnnotation
  ): ColumnDescriptor = {
    val field = descriptor.getPrimitiveType
    val plain = Types
      .primitive(field.getPrimitiveTypeName, field.getRepetition)
      .length(field.getTypeLength)
      .as(annotation)
      .named(field.getName)
    new ColumnDescriptor(
      descriptor.getPath,
      plain,
      descriptor.getMaxRepetitionLevel,
      descriptor.getMaxDefinitionLevel
    )
  }
}
