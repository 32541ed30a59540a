package io.github.variantshredded.shredding.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation
import org.apache.parquet.schema.Type.Repetition

/**
 * Reads the Parquet group of a Variant in the earlier layout ("Shredding Overview", "Parquet
 * Layout"), and refuses what this layout does not allow.
 *
 * {{{
 * optional group v {
 *   optional binary untyped_value;          <- position.value: metadata and value
 *   optional group object {                 <- position.typedValue: an object,
 *     optional group tags {
 *       optional binary untyped_value;
 *       optional group array (LIST) {       <- an array
 *         repeated group list {
 *           optional group element {
 *             optional binary untyped_value;
 *             optional int64 typed_value;   <- or a primitive
 *           }
 *         }
 *       }
 *     }
 *   }
 * }
 * }}}
 */
object OverviewLayoutReader {

  private val ObjectName = Layout.Overview.obj
  private val ArrayName = Layout.Overview.array
  private val TypedValueName = Layout.Overview.primitive
  private val Names = Layout.Overview.columns.toSet

  /** Returns whether a group that is known to be a Variant is in the earlier layout. */
  def isOverview(group: GroupType): Boolean =
    !SpecLayoutReader.isAnnotated(group) && Names.exists(group.containsField) &&
      !group.containsField("metadata") && !group.containsField("value")

  /**
   * Returns whether the columns of a group alone show that it is a Variant of this layout. It may
   * have only columns of this layout and columns that begin with `_`. One of them must be an
   * `untyped_value`, or an `object` or `array` whose positions are all of this layout. A
   * `typed_value` alone proves nothing.
   */
  def isVariant(parquetType: Type): Boolean = !parquetType.isPrimitive && {
    val group = parquetType.asGroupType
    group.getLogicalTypeAnnotation == null && hasShape(group) &&
    !names(group).forall(name => name == TypedValueName || name.startsWith("_"))
  }

  private def names(group: GroupType): Seq[String] =
    group.getFields.asScala.toSeq.map(_.getName)

  /** Returns whether the columns of a group are those of a position. */
  private def hasShape(group: GroupType): Boolean = {
    val all = names(group)
    all.exists(Names) && all.forall(name => Names(name) || name.startsWith("_")) &&
    all.distinct.size == all.size &&
    group.getFields.asScala.forall { field =>
      field.getName match {
        case Layout.Overview.value => LayoutReader.isBinary(field)
        case ObjectName            => isObject(field)
        case ArrayName             => isList(field)
        case TypedValueName        => field.isPrimitive && !field.isRepetition(Repetition.REPEATED)
        case _                     => true
      }
    }
  }

  private def isObject(field: Type): Boolean =
    !field.isPrimitive && field.getLogicalTypeAnnotation == null &&
      !field.isRepetition(Repetition.REPEATED) &&
      field.asGroupType.getFields.asScala.forall(child =>
        !child.isPrimitive && hasShape(child.asGroupType)
      )

  private def isList(field: Type): Boolean =
    field.getLogicalTypeAnnotation.isInstanceOf[ListLogicalTypeAnnotation] &&
      !field.isRepetition(Repetition.REPEATED) && {
        def only(parent: Type): Option[Type] =
          Option.when(!parent.isPrimitive && parent.asGroupType.getFieldCount == 1) {
            parent.asGroupType.getType(0)
          }
        only(field)
          .flatMap(only)
          .exists(element => !element.isPrimitive && hasShape(element.asGroupType))
      }

  /**
   * Reads the Variant at `path` of `schema`.
   *
   * @param maxDepth
   *   deepest nesting of shredded positions that is accepted, up to `ShreddingSchema.MaxDepth`
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDING_SCHEMA` if the group breaks the rules of the layout
   */
  def read(schema: MessageType, path: Seq[String], maxDepth: Int): VariantGroup = {
    val (group, levels) = LayoutReader.find(schema, path)
    new OverviewLayoutReader(path, maxDepth).variant(group, levels)
  }
}

/** Reads the typed values of the layout `overview`. */
private final class OverviewLayoutReader(root: Seq[String], maxDepth: Int)
    extends LayoutReader(Layout.Overview, root, maxDepth) {
  import OverviewLayoutReader._

  override protected def typedValue(
      field: Type,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): TypedValue =
    field.getName match {
      case TypedValueName =>
        if (!field.isPrimitive) {
          throw fail(
            "'typed_value' must be a primitive column; objects and arrays are in 'object' and " +
              "'array'.",
            path
          )
        }
        primitive(field.asPrimitiveType, at, levels, path)
      case ObjectName =>
        if (field.isPrimitive || field.getLogicalTypeAnnotation != null) {
          throw fail(s"'object' must be a group without annotation, found '$field'.", path)
        }
        objectGroup(field.asGroupType, at, levels, path, depth)
      case _ =>
        val isList = field.getLogicalTypeAnnotation.isInstanceOf[ListLogicalTypeAnnotation]
        if (field.isPrimitive || !isList) {
          throw fail(s"'array' must be a LIST, found '$field'.", path)
        }
        listGroup(field.asGroupType, at, levels, path, depth)
    }
}
