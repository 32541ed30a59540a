package io.github.variantshredded.shredding.layout

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.variant.VariantPath
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Type.Repetition

/**
 * Walks through the Parquet group of one Variant, and refuses what the layout does not allow. This
 * is the common part of the readers of both layouts.
 *
 * @param root
 *   path of the group in the file
 * @param wantedDepth
 *   deepest nesting of shredded positions that is accepted, up to `ShreddingSchema.MaxDepth`
 */
private[layout] abstract class LayoutReader(
    layout: Layout,
    root: Seq[String],
    wantedDepth: Int
) {
  import LayoutReader._

  private val maxDepth = math.min(wantedDepth, ShreddingSchema.MaxDepth)
  private val column = root.mkString(".")
  private val leaves = mutable.ArrayBuffer.empty[VariantLeaf]
  private var shreddedFields = 0

  private def columns: String = {
    val quoted = layout.columns.map(name => s"'$name'")
    s"${quoted.init.mkString(", ")} and ${quoted.last}"
  }

  /** Returns the Variant in `group`, whose levels are `levels`. */
  final def variant(group: GroupType, levels: Levels): VariantGroup = {
    val metadata = layout.metadata.map { name =>
      if (!group.containsField(name)) {
        throw fail(
          s"A Variant group must have a binary column '$name', which is missing.",
          VariantPath.Root
        )
      }
      binaryLeaf(group.getType(name), root, levels, VariantPath.Root)
    }
    val position = shredded(group, root, levels, VariantPath.Root, depth = 0)
    new VariantGroup(
      column,
      root,
      levels,
      // The element of a two-level list is repeated, and cannot be null.
      !group.isRepetition(Repetition.OPTIONAL),
      metadata,
      position,
      leaves.toArray
    )
  }

  /** Returns a typed column or group at the path `at`, which has `levels` and is not repeated. */
  protected def typedValue(
      field: Type,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): TypedValue

  /** Returns the position whose columns are in `group`; the root has the depth 0. */
  private def shredded(
      group: GroupType,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): VariantPosition = {
    if (depth > maxDepth) throw fail(s"Shredded values are nested deeper than $maxDepth.", path)
    repeatedName(group).foreach { name =>
      throw fail(s"The column '$name' occurs twice.", path)
    }
    def isKnown(name: String) =
      layout.columns.contains(name) || (depth == 0 && layout.metadata.contains(name))
    group.getFields.asScala.map(_.getName).foreach { name =>
      if (!isKnown(name) && !name.startsWith("_")) {
        throw fail(
          s"Unknown column '$name' beside $columns: only names that begin with '_' are reserved " +
            "for extensions.",
          path
        )
      }
    }
    val value = Option.when(group.containsField(layout.value)) {
      binaryLeaf(group.getType(layout.value), at, levels, path)
    }
    val typed = layout.typed.filter(group.containsField).toVector.map { name =>
      val field = group.getType(name)
      if (field.isRepetition(Repetition.REPEATED)) {
        throw fail(s"'$name' must be optional, found repeated.", path)
      }
      typedValue(field, at :+ name, below(levels, field), path, depth)
    }
    if (value.isEmpty && typed.isEmpty) {
      throw fail(s"At least one of the columns $columns must be present.", path)
    }
    new VariantPosition(
      path,
      at,
      levels,
      // The element of a two-level list is repeated, and cannot be null.
      !group.isRepetition(Repetition.OPTIONAL),
      value,
      TypedValue.of(typed),
      layout
    )
  }

  /** Returns a `typed_value` of a primitive type. */
  protected final def primitive(
      field: PrimitiveType,
      at: Seq[String],
      levels: Levels,
      path: String
  ): TypedValue.Primitive = ShreddedValueTypes.of(field) match {
    case Right(shreddedType) => TypedValue.Primitive(leaf(field, at, levels), shreddedType)
    case Left(reason)        => throw fail(s"Unsupported shredded value type: $reason", path)
  }

  protected final def objectGroup(
      group: GroupType,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): TypedValue = {
    if (group.getFieldCount == 0) {
      throw fail(s"The '${group.getName}' of a shredded object has no fields.", path)
    }
    repeatedName(group).foreach { name =>
      throw fail(s"The shredded field '$name' occurs twice.", VariantPath.wholeField(path, name))
    }
    val ordinal = shreddedFields
    shreddedFields += group.getFieldCount
    val fields = group.getFields.asScala.toVector.map { field =>
      val name = field.getName
      val fieldPath = VariantPath.wholeField(path, name)
      if (field.isPrimitive) {
        throw fail(s"The shredded field '$name' must be a group, found '$field'.", fieldPath)
      }
      if (field.isRepetition(Repetition.REPEATED)) {
        throw fail(s"The group of the shredded field '$name' must not be repeated.", fieldPath)
      }
      if (field.getLogicalTypeAnnotation != null) {
        throw fail(
          s"The group of the shredded field '$name' must not be annotated, found " +
            s"${field.getLogicalTypeAnnotation}.",
          fieldPath
        )
      }
      shredded(
        field.asGroupType,
        at :+ name,
        below(levels, field),
        fieldPath,
        depth + 1
      )
    }
    val names = group.getFields.asScala.toVector.map(_.getName)
    TypedValue.ObjectGroup(
      at,
      levels,
      group.isRepetition(Repetition.REQUIRED),
      names,
      fields,
      ordinal
    )
  }

  protected final def listGroup(
      group: GroupType,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): TypedValue = {
    def wrong(what: String) =
      fail(s"A shredded array must be a three-level list of a group 'element': $what", path)
    if (group.getFieldCount != 1) {
      throw wrong(s"the LIST group has ${group.getFieldCount} fields.")
    }
    val repeated = group.getType(0)
    if (!repeated.isRepetition(Repetition.REPEATED) || repeated.isPrimitive) {
      throw wrong(s"'${repeated.getName}' is not a repeated group.")
    }
    val list = repeated.asGroupType
    val names = Seq(repeated.getName)
    val listLevels = below(levels, repeated)
    val (element, elementNames, elementLevels) =
      if (isLegacyElement(list)) (list, names, listLevels)
      else {
        if (list.getFieldCount != 1 || list.getType(0).isPrimitive) {
          throw wrong(s"'${repeated.getName}' does not hold one group.")
        }
        val inner = list.getType(0)
        if (inner.isRepetition(Repetition.REPEATED)) {
          throw wrong(s"'${inner.getName}' is repeated.")
        }
        (inner.asGroupType, names :+ inner.getName, below(listLevels, inner))
      }
    TypedValue.ListGroup(
      at,
      levels,
      group.isRepetition(Repetition.REQUIRED),
      shredded(element, at ++ elementNames, elementLevels, VariantPath.elements(path), depth + 1)
    )
  }

  /**
   * Returns whether the repeated group of a list is the element itself. Spark shreds arrays in this
   * form if `spark.sql.parquet.writeLegacyFormat` is set.
   */
  private def isLegacyElement(repeated: GroupType): Boolean = repeated.getName == "array" &&
    repeated.getFields.asScala.forall(field => layout.columns.contains(field.getName))

  protected final def binaryLeaf(
      field: Type,
      parent: Seq[String],
      levels: Levels,
      path: String
  ): VariantLeaf = {
    val isBinary = field.isPrimitive && field.asPrimitiveType.getPrimitiveTypeName == BINARY
    if (!isBinary || field.isRepetition(Repetition.REPEATED)) {
      throw fail(s"'${field.getName}' must be a binary column, found '$field'.", path)
    }
    if (field.getLogicalTypeAnnotation != null) {
      throw fail(
        s"'${field.getName}' must be a binary column without annotation, found '$field'.",
        path
      )
    }
    leaf(field.asPrimitiveType, parent :+ field.getName, below(levels, field))
  }

  private def leaf(field: PrimitiveType, at: Seq[String], levels: Levels): VariantLeaf = {
    val descriptor =
      new ColumnDescriptor(at.toArray, field, levels.repetition, levels.definition)
    val result =
      new VariantLeaf(leaves.size, descriptor, field.isRepetition(Repetition.REQUIRED))
    leaves += result
    result
  }

  private def repeatedName(group: GroupType): Option[String] = {
    val names = mutable.Set.empty[String]
    group.getFields.asScala.map(_.getName).find(!names.add(_))
  }

  protected final def fail(reason: String, path: String): VariantShreddedException =
    invalid(reason, column, path)
}

object LayoutReader {

  /**
   * Reads the Variant at `path` of `schema`, in either layout. A group is in the earlier layout if
   * it has neither `metadata` nor `value`, but one of the columns of that layout.
   *
   * @param maxDepth
   *   deepest nesting of shredded positions that is accepted, up to `ShreddingSchema.MaxDepth`
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDING_SCHEMA` if the group breaks the rules of its layout
   */
  def read(schema: MessageType, path: Seq[String], maxDepth: Int): VariantGroup = {
    val (group, _) = find(schema, path)
    if (OverviewLayoutReader.isOverview(group)) OverviewLayoutReader.read(schema, path, maxDepth)
    else SpecLayoutReader.read(schema, path, maxDepth)
  }

  /** Returns whether the columns of a group alone show that it is a Variant, in either layout. */
  def isVariant(parquetType: Type): Boolean =
    SpecLayoutReader.isVariant(parquetType) || OverviewLayoutReader.isVariant(parquetType)

  /** Returns the group at `path`, and its levels. */
  private[layout] def find(schema: MessageType, path: Seq[String]): (GroupType, Levels) = {
    var levels = Levels(0, 0)
    var node: Type = schema
    path.foreach { name =>
      node = node.asGroupType.getType(name)
      levels = below(levels, node)
    }
    if (node.isPrimitive) {
      throw invalid(
        s"A Variant must be stored as a group, found '$node'.",
        path.mkString("."),
        VariantPath.Root
      )
    }
    (node.asGroupType, levels)
  }

  private[layout] def below(levels: Levels, node: Type): Levels = node.getRepetition match {
    case Repetition.REQUIRED => levels
    case Repetition.OPTIONAL => Levels(levels.repetition, levels.definition + 1)
    case Repetition.REPEATED => Levels(levels.repetition + 1, levels.definition + 1)
  }

  private[layout] def isBinary(field: Type): Boolean =
    field.isPrimitive && field.asPrimitiveType.getPrimitiveTypeName == BINARY &&
      field.getLogicalTypeAnnotation == null && !field.isRepetition(Repetition.REPEATED)

  private def invalid(reason: String, column: String, path: String) =
    VariantShreddedErrors.invalidShreddingSchema(
      reason,
      ErrorLocation(column = Some(column), path = Some(path))
    )
}
