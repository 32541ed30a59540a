package io.github.variantshredded.read.columns

import scala.util.Try

import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{
  Layout,
  TypedValue,
  VariantGroup,
  VariantPosition
}
import org.apache.spark.sql.execution.datasources.parquet.SparkShreddingUtils
import org.apache.spark.sql.types.DataType
import org.apache.spark.types.variant.VariantSchema
import org.apache.spark.types.variant.VariantSchema.{IntegralSize, ScalarType}

/** Compares how this source and Spark's reader understand a group. */
private[columns] object SparkGroups {

  /**
   * Returns whether Spark's reader rebuilds the Variants of a group, and sees the columns in it as
   * this source does: not if it copies the Variants because they are not shredded, if it refuses
   * the group, or if a setting gives a column another type.
   *
   * @param group
   *   a group without optional groups below it
   * @param sparkType
   *   the type that Spark's reader gives the group
   */
  def isSame(group: VariantGroup, sparkType: DataType): Boolean =
    group.layout == Layout.Spec && group.root.typedValue.isDefined &&
      Try(SparkShreddingUtils.buildVariantSchema(sparkType)).toOption.exists(isSame(group.root, _))

  private def isSame(position: VariantPosition, schema: VariantSchema): Boolean =
    position.value.isDefined == (schema.variantIdx >= 0) &&
      position.typedValue.fold(schema.typedIdx < 0)(isSame(_, schema))

  private def isSame(typed: TypedValue, schema: VariantSchema): Boolean = typed match {
    case primitive: TypedValue.Primitive => isSame(primitive.shreddedType, schema.scalarSchema)
    case list: TypedValue.ListGroup      =>
      schema.arraySchema != null && isSame(list.element, schema.arraySchema)
    case obj: TypedValue.ObjectGroup =>
      val fields = Option(schema.objectSchema).fold(Seq.empty[VariantSchema.ObjectField])(_.toSeq)
      obj.names == fields.map(_.fieldName) && obj.fields.zip(fields).forall {
        case (position, field) => isSame(position, field.schema)
      }
    case _: TypedValue.OneOf => false
  }

  private def isSame(shredded: ShreddedType, scalar: ScalarType): Boolean =
    (shredded, scalar) match {
      case (ShreddedType.BooleanType, _: VariantSchema.BooleanType) => true
      case (ShreddedType.Int8, number: VariantSchema.IntegralType)  =>
        number.size == IntegralSize.BYTE
      case (ShreddedType.Int16, number: VariantSchema.IntegralType) =>
        number.size == IntegralSize.SHORT
      case (ShreddedType.Int32, number: VariantSchema.IntegralType) =>
        number.size == IntegralSize.INT
      case (ShreddedType.Int64, number: VariantSchema.IntegralType) =>
        number.size == IntegralSize.LONG
      case (ShreddedType.FloatType, _: VariantSchema.FloatType)                           => true
      case (ShreddedType.DoubleType, _: VariantSchema.DoubleType)                         => true
      case (ShreddedType.StringType, _: VariantSchema.StringType)                         => true
      case (ShreddedType.Binary, _: VariantSchema.BinaryType)                             => true
      case (ShreddedType.Date, _: VariantSchema.DateType)                                 => true
      case (ShreddedType.TimestampMicros, _: VariantSchema.TimestampType)                 => true
      case (ShreddedType.TimestampNtzMicros, _: VariantSchema.TimestampNTZType)           => true
      case (ShreddedType.DecimalOf(precision, scale), decimal: VariantSchema.DecimalType) =>
        decimal.precision == precision && decimal.scale == scale
      case _ => false
    }
}
