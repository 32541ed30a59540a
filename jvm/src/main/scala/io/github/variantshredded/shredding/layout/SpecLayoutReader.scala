package io.github.variantshredded.shredding.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.Type.Repetition

/** Reads the Parquet group of a Variant, and refuses what the VariantShredding spec forbids. */
object SpecLayoutReader {

  private val Metadata = "metadata"
  private val Value = "value"
  private val TypedValueName = "typed_value"

  /**
   * Returns whether a group is a Variant: it has the annotation, or exactly the binary columns
   * `metadata` and `value` and optionally a `typed_value`.
   */
  def isVariant(parquetType: Type): Boolean = !parquetType.isPrimitive && {
    val group = parquetType.asGroupType
    isAnnotated(group) || {
      val names = group.getFields.asScala.map(_.getName).toSet
      val bySpec = names == Set(Metadata, Value) || names == Set(Metadata, Value, TypedValueName)
      group.getLogicalTypeAnnotation == null && bySpec && group.getFieldCount == names.size &&
      group.getFields.asScala.forall(!_.isRepetition(Repetition.REPEATED)) &&
      Seq(Metadata, Value).forall(name => LayoutReader.isBinary(group.getType(name)))
    }
  }

  def isAnnotated(group: GroupType): Boolean =
    group.getLogicalTypeAnnotation.isInstanceOf[VariantLogicalTypeAnnotation]

  /**
   * Reads the Variant at `path` of `schema`.
   *
   * @param maxDepth
   *   deepest nesting of shredded positions that is accepted, up to `ShreddingSchema.MaxDepth`
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDING_SCHEMA` if the group breaks the spec
   */
  def read(schema: MessageType, path: Seq[String], maxDepth: Int): VariantGroup = {
    val (group, levels) = LayoutReader.find(schema, path)
    new SpecLayoutReader(path, maxDepth).variant(group, levels)
  }
}

/** Reads the typed values of the layout `spec`. */
private final class SpecLayoutReader(root: Seq[String], maxDepth: Int)
    extends LayoutReader(Layout.Spec, root, maxDepth) {

  override protected def typedValue(
      field: Type,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): TypedValue =
    if (field.isPrimitive) primitive(field.asPrimitiveType, at, levels, path)
    else {
      val group = field.asGroupType
      group.getLogicalTypeAnnotation match {
        case null                         => objectGroup(group, at, levels, path, depth)
        case _: ListLogicalTypeAnnotation => listGroup(group, at, levels, path, depth)
        case other                        =>
          throw fail(
            s"A group 'typed_value' must be a LIST or have no annotation, found $other.",
            path
          )
      }
    }
}
