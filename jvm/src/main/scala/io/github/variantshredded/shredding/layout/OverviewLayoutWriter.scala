package io.github.variantshredded.shredding.layout

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.ShreddingSchema._
import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Type.Repetition.{OPTIONAL, REPEATED}

/**
 * Builds the Parquet group of a Variant in the earlier layout ("Shredding Overview", "Parquet
 * Layout"). All its columns and groups are optional, as in the examples of that document.
 * [[OverviewLayoutReader]] shows an example.
 */
object OverviewLayoutWriter {

  /** Returns the group `name` of Variants that are shredded by `schema`. */
  def group(name: String, schema: ShreddingSchema, repetition: Repetition): GroupType =
    Types.buildGroup(repetition).addFields(position(schema): _*).named(name)

  private def position(schema: ShreddingSchema): Seq[Type] = {
    val residual = Types.primitive(BINARY, OPTIONAL).named(Layout.Overview.value)
    schema match {
      case Unshredded              => Seq(residual)
      case Primitive(shreddedType) => Seq(residual, SpecLayoutWriter.typedValue(shreddedType))
      case ArrayOf(element)        =>
        val list = Types.buildGroup(REPEATED).addField(optional("element", element)).named("list")
        val array = Types
          .buildGroup(OPTIONAL)
          .as(LogicalTypeAnnotation.listType())
          .addField(list)
          .named(Layout.Overview.array)
        Seq(residual, array)
      case ObjectOf(fields) =>
        val obj = Types.buildGroup(OPTIONAL)
        fields.foreach { case (name, field) => obj.addField(optional(name, field)) }
        Seq(residual, obj.named(Layout.Overview.obj))
    }
  }

  private def optional(name: String, schema: ShreddingSchema): GroupType =
    Types.buildGroup(OPTIONAL).addFields(position(schema): _*).named(name)
}
